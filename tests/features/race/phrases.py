"""What the race's scripts look up in tables."""

TABLES = {
    "columns.js": r'"([^"]+)", spread|^    "([A-Z][^"]+)",|"cost", "([^"]+)"',
    "conditions.js": r'^  \["\w+", "([^"]+)"\],',
    "claims.js": r'^  \["\w+", "([^"]+)", ',
    "picture.js": r'^  \["([^"]+)", /',
}
FROM_PYTHON: tuple[str, ...] = ()
