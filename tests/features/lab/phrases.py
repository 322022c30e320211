"""What the Lab's scripts look up in tables, and what Python hands to them."""

from unmask.features.lab.sweep import MEASURES

TABLES = {
    "chart.js": r'^  (?:right|facts|agrees|same|surprise|repeated|score|passes|tokens_per_pass|seconds): "([^"]+)"',
}
FROM_PYTHON = tuple(MEASURES.values())
