from .choice import Spec as Spec
from .choice import choose as choose
from .choice import described_errors as described_errors
from .choice import find_trials as find_trials
from .choice import matches as matches
from .choice import tiebreak as tiebreak
from .trial_table import OUTCOMES as OUTCOMES
