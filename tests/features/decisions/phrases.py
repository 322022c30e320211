"""What the scripts of decisions look up in tables."""

TABLES = {"question.js": r'"(sure|leaning|torn)"'}

FROM_PYTHON = ()
