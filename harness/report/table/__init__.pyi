from .network import describe_network as describe_network
