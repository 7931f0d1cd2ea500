from . import answers as answers
from . import terminal as terminal
