"""One prompt, several models, one clock. Local models are timed by pass, remote ones by the arrival of bytes."""

from unmask.features.race import routes
from unmask.serve.access import Access
from unmask.serve.features import Feature, Tab

FEATURE = Feature(
    "race",
    routes=routes.routes,
    access={
        "/race": Access.PUBLIC,
        "/login/huggingface": Access.PUBLIC,  # these three only on a Space with sign-in
        "/login/callback": Access.PUBLIC,
        "/login/leave": Access.PUBLIC,
    },
    tabs=(Tab("Race", "race", prompt=True), Tab("Claims", "claims")),
)
