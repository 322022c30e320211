"""What decisions declare: their route of /v1, which needs the same key as the others there."""

from unmask.features.decisions import routes
from unmask.serve.features import Feature

FEATURE = Feature("decisions", api=routes.routes)
