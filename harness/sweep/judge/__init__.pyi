from .choice import order as order
from .choice import tiebreak as tiebreak
from .selection import choose as choose
from .selection import described_errors as described_errors
from .selection import matches as matches
from .trial_table import OUTCOMES as OUTCOMES
