from .choice import choose_trial as choose_trial
from .choice import read_winner as read_winner
from .winner import Winner as Winner
