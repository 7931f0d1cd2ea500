from .chunk import json_value as json_value
from .chunk import packed_ranks as packed_ranks
from .chunk import packed_scores as packed_scores
from .chunk import table as table
from .site_files import build as build
