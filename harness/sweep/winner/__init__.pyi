from .chosen_trial import choose_trial as choose_trial
from .chosen_trial import read_winner as read_winner
from .winner import Winner as Winner
