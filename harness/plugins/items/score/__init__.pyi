from .comparison import ScoreComparison as ScoreComparison
from .comparison import compare_files as compare_files
from .comparison import compare_systems as compare_systems
from .scores import Scores as Scores
from .scores import read_scores as read_scores
