"""What lists lose on twins, as a figure."""
