from . import terminal as terminal
from .terminal import leaderboard as leaderboard
from .watch import running as running
from .watch import watch_table as watch_table
