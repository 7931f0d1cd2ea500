"""The basics that every room uses: errors, identities, files, artifacts, threads, configuration."""
