"""Downloads of known checkpoints from the Hub."""

from unmask.features.downloads import routes
from unmask.serve.access import Access
from unmask.serve.features import Feature

FEATURE = Feature(
    "downloads",
    routes=routes.routes,
    access={"/shelf": Access.PUBLIC},  # what may be opened is checked there
)
