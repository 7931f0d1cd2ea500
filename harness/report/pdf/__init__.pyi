from .compile import COMMANDS as COMMANDS
from .document import OWNER as OWNER
from .document import Section as Section
from .document import details as details
from .document import section as section
from .document import write as write
