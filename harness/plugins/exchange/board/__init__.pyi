from .pages import build as build
from .repository import Board as Board
from .repository import check as check
from .repository import init as init
from .scoring import review as review
from .submission import missing as missing
from .submission import submit as submit
