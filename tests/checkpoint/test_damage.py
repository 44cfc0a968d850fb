"""A damaged checkpoint is an error, or gives the values that were written: never other ones."""

import random
import re

import numpy as np
import pytest

from shims._src.checkpoint import table
from shims._src.checkpoint.block import BlockBuilder, stored_block, with_trailer
from shims._src.checkpoint.bundle_reader import BundleReader
from shims._src.checkpoint.bundle_writer import write_bundle
from shims._src.checkpoint.crc32c import crc32c, mask
from shims._src.checkpoint.entry import HEADER_KEY, Entry, Header
from shims._src.checkpoint.opening import open_checkpoint
from shims._src.checkpoint.partitioned import Partitioned
from shims._src.checkpoint.wire import Malformed
from shims._src.errors import errors

from . import bundles

TENSORS = {
    "float": np.arange(500, dtype=np.float32),
    "long": np.arange(12_000, dtype=np.int64),
    "strings": np.array([b"a", b"", b"b" * 300], object),
    "empty": np.zeros((0, 2)),
    **{f"shared/prefix/{i}": np.int32(i) for i in range(40)},
}
PIECES = Partitioned((4, 2), [((0, 0), np.ones((1, 2))), ((1, 0), np.zeros((3, 2)))])
EXPECTED = TENSORS | {"pieces": np.concatenate([np.ones((1, 2)), np.zeros((3, 2))])}


@pytest.fixture
def checkpoint(tmp_path):
    write_bundle(str(tmp_path / "x"), TENSORS | {"pieces": PIECES})
    return tmp_path / "x"


def outcome(prefix):
    """What reading all of a checkpoint comes to."""
    try:
        reader = open_checkpoint(str(prefix))
        found = {name: reader.read(name) for name in reader.names}
    except (errors.DataLossError, errors.UnimplementedError) as error:
        return type(error).__name__
    bundles.assert_same(found, EXPECTED)
    return "the same"


def places(size, count):
    """Places in a file: the first and last ones, and others in between."""
    edges = {*range(min(size, 24)), *range(max(0, size - 60), size)}
    return sorted(edges | set(random.Random(0).sample(range(size), min(size, count))))


@pytest.mark.parametrize("suffix", [".index", ".data-00000-of-00001"])
def test_one_bit_flipped(checkpoint, suffix):
    path = checkpoint.parent / (checkpoint.name + suffix)
    whole = path.read_bytes()
    found = []
    for at in places(len(whole), 150):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << at % 8
        path.write_bytes(damaged)
        found.append(outcome(checkpoint))
    # Only the end of the index has bytes that say nothing.
    assert set(found) == (
        {"DataLossError", "the same"} if suffix == ".index" else {"DataLossError"}
    )
    assert found.count("the same") < 48


@pytest.mark.parametrize("suffix", [".index", ".data-00000-of-00001"])
def test_cut_off(checkpoint, suffix):
    path = checkpoint.parent / (checkpoint.name + suffix)
    whole = path.read_bytes()
    for length in places(len(whole), 60):
        path.write_bytes(whole[:length])
        assert outcome(checkpoint) == "DataLossError", length


def test_bytes_of_another_file(checkpoint):
    index, data = (checkpoint.parent / f"x{s}" for s in (".index", ".data-00000-of-00001"))
    index.write_bytes(data.read_bytes())
    assert outcome(checkpoint) == "DataLossError"


def test_a_tensor_that_is_whole_is_read_beside_one_that_is_not(checkpoint):
    path = checkpoint.parent / "x.data-00000-of-00001"
    whole = path.read_bytes()
    path.write_bytes(b"\xff" + whole[1:])
    reader = open_checkpoint(str(checkpoint))
    np.testing.assert_array_equal(reader.read("long"), TENSORS["long"])
    with pytest.raises(errors.DataLossError):
        reader.read("float")


def rewritten(prefix, **changes):
    """The index of a checkpoint with other values under some keys, and with right checksums."""
    path = prefix.parent / f"{prefix.name}.index"
    items = dict(table.table_items(path.read_bytes()))
    items |= {key.encode(): value for key, value in changes.items()}
    path.write_bytes(table.table_bytes(sorted((k, v) for k, v in items.items() if v is not None)))


VARINT = b"\x08" + b"\xff" * 11
FAULTS = {
    "a number that does not end": VARINT,
    "a field that is cut off": b"\x12\x40",
    "a field of no kind": b"\x0b",
    "bytes where a number belongs": b"\x0a\x01x",
    "a number where bytes belong": b"\x10\x01",
    "no rank": b"\x12\x02\x18\x01",
    "no size": b"\x12\x0d\x12\x0b\x08" + b"\xff" * 9 + b"\x01",
    "another size": Entry(1, (3,), size=4).to_bytes(),
    "another file": Entry(1, (500,), 7, 0, 2000).to_bytes(),
    "beyond the end": Entry(1, (500,), 0, 10**12, 2000).to_bytes(),
    "pieces that are not there": Entry(1, (4,), slices=(((0, 4),),)).to_bytes(),
    "strings that are not there": Entry(7, (10**6,), 0, 0, 2000).to_bytes(),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_index_that_says_nonsense(checkpoint, fault):
    rewritten(checkpoint, float=FAULTS[fault])
    assert outcome(checkpoint) == "DataLossError"


@pytest.mark.parametrize("slices", [(((0, 1), (0, 2)),), (((0, 1),), ((1, 3), (0, 2)))])
def test_pieces_that_do_not_make_up_the_whole(checkpoint, slices):
    rewritten(checkpoint, pieces=Entry(2, (4, 2), slices=slices).to_bytes())
    assert outcome(checkpoint) == "DataLossError"


def test_a_table_without_header(checkpoint):
    path = checkpoint.parent / "x.index"
    items = [i for i in table.table_items(path.read_bytes()) if i[0] != HEADER_KEY]
    path.write_bytes(table.table_bytes(items))
    assert outcome(checkpoint) == "DataLossError"


def test_a_table_that_is_not_sorted():
    data = table.table_bytes([(b"b", b""), (b"a", b"")])
    with pytest.raises(Malformed, match="the keys are not in order"):
        list(table.table_items(data))


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (1, "the file is compressed with Snappy"),
        (2, "the block has the unknown compression type 2"),
    ],
)
def test_compressed_blocks(kind, problem):
    block = BlockBuilder(1)
    stored = bytearray(with_trailer(block.block()))
    checked = bytes(stored[:-5]) + bytes([kind])
    stored = checked + mask(crc32c(checked)).to_bytes(4, "little")
    with pytest.raises(Malformed, match=problem):
        stored_block(stored, 0, len(stored) - 5)


def test_a_length_of_nothing_is_not_the_whole_axis():
    whole, nothing = Entry(1, (3,), slices=((None,),)), Entry(1, (3,), slices=(((0, 0),),))
    assert [Entry.from_bytes(e.to_bytes()) for e in (whole, nothing)] == [whole, nothing]


def lines(error):
    """The lines of a message without those that depend on the place."""
    text = re.sub(r"(/\S*/)+", "", str(error))
    return [" ".join(line.split()) for line in text.split("\n") if "At:" not in line]


def test_messages(checkpoint, tmp_path):
    found = {}

    def note(name, call):
        with pytest.raises(errors.OpError) as caught:
            call()
        found[name] = (type(caught.value).__name__, *lines(caught.value))

    big_endian = Header(1).to_bytes() + b"\x10\x01"
    newer = Header(1).to_bytes() + b"\x1a\x04\x08\x01\x10\x02"
    reader = open_checkpoint(str(checkpoint))
    data = tmp_path / "x.data-00000-of-00001"
    note("no checkpoint", lambda: open_checkpoint(str(tmp_path / "y")))
    note("no index", lambda: BundleReader(str(tmp_path / "y")))
    note("no tensor", lambda: reader.read("z"))
    note("not a prefix", lambda: open_checkpoint(str(tmp_path / "x.index")))
    note("no folder", lambda: write_bundle(str(tmp_path / "no/such/x"), {}))
    note("no name", lambda: write_bundle(str(tmp_path / "e"), {"": 1}))
    note("no dtype", lambda: write_bundle(str(tmp_path / "e"), {"d": np.array(["2020"], "M8[Y]")}))
    note("no string", lambda: write_bundle(str(tmp_path / "e"), {"s": np.array([None])}))
    data.write_bytes(b"\xff" + data.read_bytes()[1:])
    note("data", lambda: reader.read("float"))
    data.unlink()
    note("no data", lambda: reader.read("float"))
    rewritten(checkpoint, float=Entry(21, ()).to_bytes())
    note("variant", lambda: open_checkpoint(str(checkpoint)).read("float"))
    rewritten(checkpoint, **{"": big_endian})
    note("big endian", lambda: open_checkpoint(str(checkpoint)))
    rewritten(checkpoint, **{"": newer})
    note("newer", lambda: open_checkpoint(str(checkpoint)))
    (tmp_path / "x.index").write_bytes(b"")
    note("index", lambda: open_checkpoint(str(checkpoint)))
    assert found == MESSAGES
    assert not list(tmp_path.glob("e.*"))


_COPY = "Do: use another copy of the file, or an older checkpoint"
_WHERE = (
    "Do: restore the checkpoint with TensorFlow on the machine that wrote it, and save the arrays"
)
_REFUSED = "cannot be written to a checkpoint:"
MESSAGES = {
    "no checkpoint": ("NotFoundError", "Failed to find any matching files for y"),
    "no index": ("NotFoundError", "Failed to find any matching files for y"),
    "no tensor": ("NotFoundError", "Key z not found in checkpoint x"),
    "not a prefix": (
        "DataLossError",
        "Unable to open table file x.index: it is not a checkpoint.",
        "Required: the path without `.index`, `.meta` and `.data-00000-of-00001`",
        "Received: x.index",
    ),
    "no folder": ("NotFoundError", "such; No such file or directory"),
    "no name": ("InvalidArgumentError", f"'' {_REFUSED} a name must not be empty."),
    "no dtype": (
        "InvalidArgumentError",
        f"'d' {_REFUSED} TensorFlow has no dtype datetime64[Y].",
    ),
    "no string": (
        "InvalidArgumentError",
        f"'s' {_REFUSED} an element is NoneType and not a string.",
    ),
    "data": (
        "DataLossError",
        "x.data-00000-of-00001 is damaged: in tensor 'float', the checksum of the 2000 bytes at 0 "
        "is wrong.",
        _COPY,
    ),
    "no data": (
        "NotFoundError",
        "x.data-00000-of-00001; No such file or directory",
        "Required: x.index and, in the same folder, all data files of the checkpoint: 1",
        "Do: copy the files of a checkpoint together",
    ),
    "variant": (
        "UnimplementedError",
        "Data type not supported: tensor 'float' is of variant, and NumPy has no arrays of it",
    ),
    "big endian": (
        "UnimplementedError",
        "x cannot be read: the numbers are big-endian, because the checkpoint was written on a big-endian machine.",
        _WHERE,
    ),
    "newer": (
        "UnimplementedError",
        "x cannot be read: the checkpoint requires version 2 of the format, but only version 1 is supported.",
        _WHERE,
    ),
    "index": (
        "DataLossError",
        "x.index is damaged: the file has only 0 bytes, which is too short for a table.",
        _COPY,
    ),
}
