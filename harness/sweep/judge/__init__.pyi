from .choice import choose as choose
from .choice import tiebreak as tiebreak
from .table_rows import Spec as Spec
from .table_rows import described_errors as described_errors
from .table_rows import find_rows as find_rows
from .table_rows import is_shown as is_shown
from .table_rows import matches as matches
from .trial_table import OUTCOMES as OUTCOMES
