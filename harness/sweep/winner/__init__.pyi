from .choice import choose as choose
from .choice import read_winner as read_winner
from .winner import Winner as Winner
