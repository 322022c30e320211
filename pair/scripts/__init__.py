"""Files that are made again whenever the weights change."""
