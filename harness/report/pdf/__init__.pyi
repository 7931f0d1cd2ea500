from .document import build as build
from .document import gather as gather
from .document import joint as joint
from .document import section as section
