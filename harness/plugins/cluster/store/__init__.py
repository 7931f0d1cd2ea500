"""The store behind `paths.shared`."""
