"""A class that follows one presenter's run, and answers polls about it."""

from unmask.features.classroom.attendance import ClassMembership
from unmask.features.classroom.requests import REQUESTS
from unmask.features.classroom.routes import routes
from unmask.serve.access import Access
from unmask.serve.features import Button, Feature

FEATURE = Feature(
    "classroom",
    routes=routes,
    access={"/class/*": Access.PUBLIC},  # the room's code, and to upload its key, are asked for
    messages=ClassMembership,
    requests=REQUESTS,
    models=("oracle",),
    button=Button("class", "menu"),
    opens="class",
)
