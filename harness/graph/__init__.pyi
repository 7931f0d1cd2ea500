from .graph import Graph as Graph
from .network import Network as Network
