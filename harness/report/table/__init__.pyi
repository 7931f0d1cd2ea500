from .network import describe_network as describe_network
from .replication import findings as findings
