from .list_costs import COSTS as COSTS
from .list_costs import frontier as frontier
from .list_costs import needed as needed
from .network_text import describe_network as describe_network
from .sweep_tables import build_tables as build_tables
from .trials import heldout as heldout
from .trials import leaderboard as leaderboard
from .trials import trial_fields as trial_fields
