from . import terminal as terminal
