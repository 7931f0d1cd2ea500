from .network_text import describe_network as describe_network
from .sweep_tables import build_tables as build_tables
from .trials import heldout as heldout
from .trials import leaderboard as leaderboard
from .trials import trial_fields as trial_fields
