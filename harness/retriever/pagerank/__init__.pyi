from .pagerank import Solution as Solution
from .pagerank import Walks as Walks
from .score_blocks import PART as PART
from .score_blocks import Walked as Walked
from .score_blocks import collect_lists as collect_lists
from .walker import Walker as Walker
