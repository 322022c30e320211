"""A run as a file: its trace, or a Python script that decodes it again."""

from unmask.features.exports import routes
from unmask.features.exports.script_message import SCRIPTS, ScriptAnswers
from unmask.serve.access import Access
from unmask.serve.features import Button, Feature

FEATURE = Feature(
    "exports",
    routes=routes.routes,
    access={"/trace/*": Access.PUBLIC},  # the run's own key is asked for
    messages=ScriptAnswers,
    requests=SCRIPTS,
    button=Button("share", "head"),
)
