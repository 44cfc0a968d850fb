from shims._src.graph.overloads import install as _install
_install()
import shims as _s
from shims._src.graph.deferring import deferred as _d
from shims._src.graph.modes import *
from shims._src.graph.modes import disable_v2_behavior
from shims._src.graph.session import *
from shims._src.graph.variables import *
from shims._src.graph.variables import GraphVariable as Variable
from shims._src.graph.placeholders import *
from shims._src.graph.conversion import constant, convert_to_tensor
from shims._src.graph.gradients import gradients
from shims._src.graph.graph import Graph
from shims import float32,int32,int64,float64,bool,string
matmul=_d(_s.matmul,'matmul'); reduce_mean=_d(_s.reduce_mean,'reduce_mean'); reduce_sum=_d(_s.reduce_sum,'reduce_sum')
boolean_mask=_d(_s.boolean_mask,'boolean_mask'); reshape=_d(_s.reshape,'reshape'); shape=_d(_s.shape,'shape'); zeros=_d(_s.zeros,'zeros'); square=_d(_s.square,'square'); gather=_d(_s.gather,'gather'); random_normal=_d(_s.random.normal,'random_normal'); random_uniform=_d(_s.random.uniform,'random_uniform'); stack=_d(_s.stack,'stack'); argmax=_d(_s.argmax,'argmax')
def set_random_seed(n): get_default_graph().seed=n
