from .ledger import Ledger as Ledger
from .ledger import ledger_path as ledger_path
from .locked_trials import heldout as heldout
from .locked_trials import locked as locked
from .locked_trials import placed as placed
from .locked_trials import score_locked as score_locked
