from . import answers as answers
from . import terminal as terminal
from .linkage import linkage_sentences as linkage_sentences
from .watch import running as running
from .watch import watch_table as watch_table
