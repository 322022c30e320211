"""One file per policy; the file and its function have the name of the policy."""
