from .comparison_table import ComparisonTable as ComparisonTable
from .comparison_table import Line as Line
from .network import describe_network as describe_network
from .replication import findings as findings
