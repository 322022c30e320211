"""What decisions declare: their tab of *Many runs* with its routes, and their route of /v1, which needs the same key as
the others there."""

from unmask.features.decisions import page, routes
from unmask.serve.access import Access
from unmask.serve.features import Feature, Tab

FEATURE = Feature(
    "decisions",
    routes=page.routes,
    api=routes.routes,
    access={"/decisions": Access.PUBLIC, "/decisions/*": Access.PUBLIC},
    tabs=(Tab("Decisions", "decisions"),),
)
