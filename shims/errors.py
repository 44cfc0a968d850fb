"""Re-export the errors of `tf.errors`, and the errors of this package."""

from shims._src.errors.error_codes import ABORTED as ABORTED
from shims._src.errors.error_codes import ALREADY_EXISTS as ALREADY_EXISTS
from shims._src.errors.error_codes import CANCELLED as CANCELLED
from shims._src.errors.error_codes import DATA_LOSS as DATA_LOSS
from shims._src.errors.error_codes import DEADLINE_EXCEEDED as DEADLINE_EXCEEDED
from shims._src.errors.error_codes import FAILED_PRECONDITION as FAILED_PRECONDITION
from shims._src.errors.error_codes import INTERNAL as INTERNAL
from shims._src.errors.error_codes import INVALID_ARGUMENT as INVALID_ARGUMENT
from shims._src.errors.error_codes import NOT_FOUND as NOT_FOUND
from shims._src.errors.error_codes import OK as OK
from shims._src.errors.error_codes import OUT_OF_RANGE as OUT_OF_RANGE
from shims._src.errors.error_codes import PERMISSION_DENIED as PERMISSION_DENIED
from shims._src.errors.error_codes import RESOURCE_EXHAUSTED as RESOURCE_EXHAUSTED
from shims._src.errors.error_codes import UNAUTHENTICATED as UNAUTHENTICATED
from shims._src.errors.error_codes import UNAVAILABLE as UNAVAILABLE
from shims._src.errors.error_codes import UNIMPLEMENTED as UNIMPLEMENTED
from shims._src.errors.error_codes import UNKNOWN as UNKNOWN
from shims._src.errors.errors import AbortedError as AbortedError
from shims._src.errors.errors import AlreadyExistsError as AlreadyExistsError
from shims._src.errors.errors import CancelledError as CancelledError
from shims._src.errors.errors import CapacityError as CapacityError
from shims._src.errors.errors import DataLossError as DataLossError
from shims._src.errors.errors import DeadlineExceededError as DeadlineExceededError
from shims._src.errors.errors import DtypeMismatchError as DtypeMismatchError
from shims._src.errors.errors import FailedPreconditionError as FailedPreconditionError
from shims._src.errors.errors import FreshSizeError as FreshSizeError
from shims._src.errors.errors import FrozenRandomWarning as FrozenRandomWarning
from shims._src.errors.errors import GrowingStateError as GrowingStateError
from shims._src.errors.errors import InternalError as InternalError
from shims._src.errors.errors import InvalidArgumentError as InvalidArgumentError
from shims._src.errors.errors import MissingKernelError as MissingKernelError
from shims._src.errors.errors import NarrowingError as NarrowingError
from shims._src.errors.errors import NotFoundError as NotFoundError
from shims._src.errors.errors import (
    OperatorNotAllowedInGraphError as OperatorNotAllowedInGraphError,
)
from shims._src.errors.errors import OpError as OpError
from shims._src.errors.errors import OutOfRangeError as OutOfRangeError
from shims._src.errors.errors import OutsideDynamicTraceError as OutsideDynamicTraceError
from shims._src.errors.errors import PaddedUseError as PaddedUseError
from shims._src.errors.errors import PermissionDeniedError as PermissionDeniedError
from shims._src.errors.errors import ResourceExhaustedError as ResourceExhaustedError
from shims._src.errors.errors import SpecializationError as SpecializationError
from shims._src.errors.errors import SpecializationWarning as SpecializationWarning
from shims._src.errors.errors import TracedValueError as TracedValueError
from shims._src.errors.errors import UnauthenticatedError as UnauthenticatedError
from shims._src.errors.errors import UnavailableError as UnavailableError
from shims._src.errors.errors import UncheckedAssertionWarning as UncheckedAssertionWarning
from shims._src.errors.errors import UnimplementedError as UnimplementedError
from shims._src.errors.errors import UnknownError as UnknownError
from shims._src.errors.errors import UnsupportedPrimitiveError as UnsupportedPrimitiveError
