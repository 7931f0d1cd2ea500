from . import answers as answers
from . import terminal as terminal
from .linkage import gain_table as gain_table
from .linkage import gold_table as gold_table
from .linkage import link_table as link_table
from .linkage import linkage_sentences as linkage_sentences
from .linkage import start_table as start_table
from .linkage_figure import linkage_picture as linkage_picture
