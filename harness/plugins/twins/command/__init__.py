"""The commands of twins: linkage and diagnose."""
