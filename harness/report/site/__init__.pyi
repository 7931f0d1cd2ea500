from . import server as server
from .assembly import build as build
