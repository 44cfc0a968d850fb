"""TensorFlow's errors that users catch, and this project's own."""

from shims._src.errors import CapacityError as CapacityError
from shims._src.errors import DtypeMismatchError as DtypeMismatchError
from shims._src.errors import FailedPreconditionError as FailedPreconditionError
from shims._src.errors import FreshSizeError as FreshSizeError
from shims._src.errors import GrowingStateError as GrowingStateError
from shims._src.errors import InvalidArgumentError as InvalidArgumentError
from shims._src.errors import MissingKernelError as MissingKernelError
from shims._src.errors import NotFoundError as NotFoundError
from shims._src.errors import OpError as OpError
from shims._src.errors import OutOfRangeError as OutOfRangeError
from shims._src.errors import OutsideDynamicTraceError as OutsideDynamicTraceError
from shims._src.errors import PaddedUseError as PaddedUseError
from shims._src.errors import SpecializationError as SpecializationError
from shims._src.errors import SpecializationWarning as SpecializationWarning
from shims._src.errors import UnimplementedError as UnimplementedError
from shims._src.errors import UnsupportedPrimitiveError as UnsupportedPrimitiveError
