"""Encoders: texts to unit vectors, one strategy a file; vectors are artifacts."""

from .embedding import ROLES as ROLES
from .embedding import Encoder as Encoder
from .embedding import Model as Model
from .embedding import Role as Role
from .embedding import embed as embed
from .embedding import find_cut as find_cut
from .embedding import pair_cosines as pair_cosines
