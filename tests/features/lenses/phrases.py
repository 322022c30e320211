"""What the lenses' scripts look up in tables."""

TABLES = {"drift.js": r'title: "([^"]+)" \}'}
FROM_PYTHON: tuple[str, ...] = ()
