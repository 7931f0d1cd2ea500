from .winner import Winner as Winner
from .winner import choose as choose
from .winner import read_winner as read_winner
