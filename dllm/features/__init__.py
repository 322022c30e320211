"""Optional parts of the app, one folder each. No feature imports another; `unmask.serve.features` lists them."""
