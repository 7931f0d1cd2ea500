from . import answers as answers
from . import terminal as terminal
from .watch import running as running
from .watch import watch_table as watch_table
