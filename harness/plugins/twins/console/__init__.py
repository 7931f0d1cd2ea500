"""What `harness linkage` prints and draws."""
