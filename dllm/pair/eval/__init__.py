"""`unmask eval`: what the judge of the worlds says of texts by the bundled pair."""
