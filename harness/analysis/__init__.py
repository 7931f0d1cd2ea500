"""Questions asked of finished things: why, how well calibrated, how sure."""
