"""The checks, one a file: see `unmask.run.check` and docs/checks.md."""
