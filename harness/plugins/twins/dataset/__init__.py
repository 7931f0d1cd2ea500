"""The dataset of twins."""
