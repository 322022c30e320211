"""Decoders compared: side by side, in sweeps, and in a game of choosing cells."""

from unmask.features.lab import routes
from unmask.serve.access import Access
from unmask.serve.features import Feature, Tab

FEATURE = Feature(
    "lab",
    routes=routes.routes,
    access={"/lab": Access.PUBLIC, "/lab/*": Access.PUBLIC},  # a sweep's own id is asked for
    models=("oracle",),
    script="lab/lab.js",
    style=("lab",),
    tabs=(Tab("Lab", "lab"),),
)
