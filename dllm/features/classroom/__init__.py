"""A class that follows one presenter's run, and answers polls about it."""

from unmask.features.classroom.attendance import ClassMembership
from unmask.features.classroom.qr_code import routes
from unmask.features.classroom.requests import REQUESTS
from unmask.serve.features import Feature

FEATURE = Feature(
    "classroom",
    routes=routes,
    messages=ClassMembership,
    requests=REQUESTS,
    models=("oracle",),
    script="class/class.js",
    style=("class",),
    button="class",
)
