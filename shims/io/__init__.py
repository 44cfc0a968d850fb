"""Re-export the names of `tf.io` that have a counterpart."""

from shims._src.data.features import FixedLenFeature as FixedLenFeature
from shims._src.data.features import FixedLenSequenceFeature as FixedLenSequenceFeature
from shims._src.data.features import RaggedFeature as RaggedFeature
from shims._src.data.features import SparseFeature as SparseFeature
from shims._src.data.features import VarLenFeature as VarLenFeature
from shims._src.data.file_system import matching_files as matching_files
from shims._src.data.file_system import read_file as read_file
from shims._src.data.file_system import write_file as write_file
from shims._src.data.parsing import parse_example as parse_example
from shims._src.data.parsing import parse_single_example as parse_single_example
from shims._src.data.records import TFRecordOptions as TFRecordOptions
from shims._src.data.records import TFRecordWriter as TFRecordWriter
from shims._src.data.tensor_bytes import decode_csv as decode_csv
from shims._src.data.tensor_bytes import decode_raw as decode_raw
from shims._src.data.tensor_bytes import parse_tensor as parse_tensor
from shims._src.data.tensor_bytes import serialize_tensor as serialize_tensor
from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims._src.image.encoding import encode_jpeg as encode_jpeg
from shims._src.image.encoding import encode_png as encode_png
from shims._src.image.files import decode_and_crop_jpeg as decode_and_crop_jpeg
from shims._src.image.files import decode_bmp as decode_bmp
from shims._src.image.files import decode_gif as decode_gif
from shims._src.image.files import decode_image as decode_image
from shims._src.image.files import decode_jpeg as decode_jpeg
from shims._src.image.files import decode_png as decode_png
from shims._src.image.files import extract_jpeg_shape as extract_jpeg_shape
from shims._src.image.files import is_jpeg as is_jpeg
from shims.io import gfile as gfile

__getattr__ = _missing.of("shims.io")
