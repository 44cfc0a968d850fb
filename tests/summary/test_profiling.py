"""Profiles are written as TensorFlow's, and its errors are raised."""

import pytest
import tensorflow as tf

import shims


@pytest.mark.parametrize("library", [tf, shims])
def test_profiles(library, tmp_path):
    profiler = library.profiler.experimental
    with pytest.raises(library.errors.UnavailableError, match="No profiler is running"):
        profiler.stop()
    profiler.start(str(tmp_path / "dropped"))
    with pytest.raises(library.errors.AlreadyExistsError, match="Another profiler is running"):
        profiler.start(str(tmp_path / "other"))
    profiler.stop(save=False)
    options = profiler.ProfilerOptions(host_tracer_level=1)
    kept = profiler.Profile(str(tmp_path / "kept"), options)
    with kept, profiler.Trace("step", step_num=1, _r=1) as trace:
        trace.set_metadata(size=3)
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]
    assert list(tmp_path.glob("kept/plugins/profile/*/*.xplane.pb"))
