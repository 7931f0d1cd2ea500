from . import terminal as terminal
from .conclusions import SHORT as SHORT
from .conclusions import conclusions as conclusions
from .conclusions import sentences as sentences
