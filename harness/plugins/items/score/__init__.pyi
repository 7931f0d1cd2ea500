from .item_scores import Scores as Scores
from .item_scores import read_scores as read_scores
from .score_comparison import ScoreComparison as ScoreComparison
from .score_comparison import compare_files as compare_files
from .score_comparison import compare_systems as compare_systems
from .two_way import TwoWay as TwoWay
from .two_way import two_way as two_way
