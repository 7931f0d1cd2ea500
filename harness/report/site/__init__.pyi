from .assembly import build as build
from .chunk import packed_ranks as packed_ranks
from .chunk import packed_scores as packed_scores
from .chunk import plain as plain
from .chunk import table as table
