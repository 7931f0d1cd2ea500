from .linkage import gain_table as gain_table
from .linkage import gold_table as gold_table
from .linkage import link_table as link_table
from .linkage import start_table as start_table
from .network import describe_network as describe_network
from .replication import findings as findings
