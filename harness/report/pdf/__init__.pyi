from .document import Built as Built
from .document import Section as Section
from .document import joint as joint
from .document import section as section
from .document import sweep_facts as sweep_facts
from .document import write as write
