from .ledger import Ledger as Ledger
from .locked_trials import heldout as heldout
from .locked_trials import locked as locked
from .locked_trials import score as score
from .looks import describe_looks as describe_looks
from .looks import note_look as note_look
from .recorded import compare as compare
from .recorded import evaluate as evaluate
