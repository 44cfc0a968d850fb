"""Re-export the names of `tf.io.gfile`, for local files."""

from shims._src.data.file_system import GFile as GFile
from shims._src.data.file_system import copy as copy
from shims._src.data.file_system import exists as exists
from shims._src.data.file_system import get_registered_schemes as get_registered_schemes
from shims._src.data.file_system import glob as glob
from shims._src.data.file_system import isdir as isdir
from shims._src.data.file_system import join as join
from shims._src.data.file_system import listdir as listdir
from shims._src.data.file_system import makedirs as makedirs
from shims._src.data.file_system import mkdir as mkdir
from shims._src.data.file_system import remove as remove
from shims._src.data.file_system import rename as rename
from shims._src.data.file_system import rmtree as rmtree
from shims._src.data.file_system import stat as stat
from shims._src.data.file_system import walk as walk
from shims._src.facade import missing as _missing

__getattr__ = _missing.of("shims.io.gfile")
