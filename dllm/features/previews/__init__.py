"""Shows what would follow from a change of a text before it is made, and changes nothing."""

from unmask.features.previews.previews import PreviewAnswers
from unmask.features.previews.requests import PREVIEWS
from unmask.serve.features import Feature

FEATURE = Feature("previews", messages=PreviewAnswers, requests=PREVIEWS)
