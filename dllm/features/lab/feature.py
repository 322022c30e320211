"""What the Lab declares: its routes and its part of the page."""

from unmask.features.lab import routes
from unmask.serve.access import Access
from unmask.serve.features import Feature, Tab

FEATURE = Feature(
    "lab",
    routes=routes.routes,
    access={"/lab": Access.PUBLIC, "/lab/*": Access.PUBLIC},  # each request needs the secret id of its sweep
    models=("oracle",),
    tabs=(Tab("Lab", "lab"),),
)
