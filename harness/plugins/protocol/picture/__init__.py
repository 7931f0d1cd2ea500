"""What a report shows of the calibrations of a benchmark."""
