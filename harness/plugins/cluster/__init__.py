"""Many machines: Ray, Slurm, and a store that machines without a common folder share."""
