"""Collect the operators that converted code calls as attributes of `ag__`.

`calls.py` adds the operators for calls.
"""

from __future__ import annotations

from shims._src.autograph.array_items import set_array_item as set_array_item
from shims._src.autograph.builtin_functions import of_loop as of_loop
from shims._src.autograph.effects import note_attribute as note_attribute
from shims._src.autograph.effects import storing as storing
from shims._src.autograph.expressions import and_ as and_
from shims._src.autograph.expressions import assert_stmt as assert_stmt
from shims._src.autograph.expressions import if_exp as if_exp
from shims._src.autograph.expressions import not_ as not_
from shims._src.autograph.expressions import or_ as or_
from shims._src.autograph.expressions import truth as truth
from shims._src.autograph.functions import FunctionScope as FunctionScope
from shims._src.autograph.functions import ld as ld
from shims._src.autograph.functions import ldu as ldu
from shims._src.autograph.functions import present_item as present_item
from shims._src.autograph.functions import remove_missing as remove_missing
from shims._src.autograph.functions import unread as unread
from shims._src.autograph.functions import with_function_scope as with_function_scope
from shims._src.autograph.handlers import Context as Context
from shims._src.autograph.handlers import caught as caught
from shims._src.autograph.lists import list_append as list_append
from shims._src.autograph.lists import note_in_place as note_in_place
from shims._src.autograph.lists import note_store as note_store
from shims._src.autograph.lists import set_item as set_item
from shims._src.autograph.parts import part_of as part_of
from shims._src.autograph.sizes import compare as compare
from shims._src.autograph.statements import for_stmt as for_stmt
from shims._src.autograph.statements import if_stmt as if_stmt
from shims._src.autograph.statements import while_stmt as while_stmt
from shims._src.control_flow.undefined import LateName as LateName
from shims._src.control_flow.undefined import Undefined as Undefined
from shims._src.control_flow.undefined import UndefinedReturnValue as UndefinedReturnValue

# The options that the converters pass with each function; they are always the same here.
STD = None
