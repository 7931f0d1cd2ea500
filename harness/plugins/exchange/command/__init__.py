"""The commands of the exchange."""
