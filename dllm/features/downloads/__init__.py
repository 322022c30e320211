"""Models: those of this machine and of the Hub; each is fetched, opened and deleted on a page of the dock."""

from unmask.features.downloads import routes
from unmask.serve.access import Access
from unmask.serve.features import Button, Feature

FEATURE = Feature(
    "downloads",
    routes=routes.routes,
    access={"/shelf": Access.PUBLIC},  # what may be opened is checked there
    button=Button("models", "head"),
)
