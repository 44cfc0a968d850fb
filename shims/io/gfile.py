"""Re-export the names of `tf.io.gfile`, for local files."""

from shims._src.data.gfile import GFile as GFile
from shims._src.data.gfile import copy as copy
from shims._src.data.gfile import exists as exists
from shims._src.data.gfile import get_registered_schemes as get_registered_schemes
from shims._src.data.gfile import glob as glob
from shims._src.data.gfile import isdir as isdir
from shims._src.data.gfile import join as join
from shims._src.data.gfile import listdir as listdir
from shims._src.data.gfile import makedirs as makedirs
from shims._src.data.gfile import mkdir as mkdir
from shims._src.data.gfile import remove as remove
from shims._src.data.gfile import rename as rename
from shims._src.data.gfile import rmtree as rmtree
from shims._src.data.gfile import stat as stat
from shims._src.data.gfile import walk as walk
from shims._src.facade import missing as _missing

__getattr__ = _missing.of("shims.io.gfile")
