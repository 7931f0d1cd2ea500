from .pagerank import Solution as Solution
from .pagerank import Walks as Walks
from .paths import name_edges as name_edges
from .paths import strongest_walks as strongest_walks
from .rows import PART as PART
from .rows import Walked as Walked
from .rows import collect_lists as collect_lists
