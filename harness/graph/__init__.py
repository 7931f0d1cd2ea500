"""Graphs: what an extractor found to typed sparse matrices over entities and passages."""

from .graph import Graph as Graph
from .network import Network as Network
