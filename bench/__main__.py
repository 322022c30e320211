"""`python -m bench`: the whole table, or some of its questions."""

import sys

from bench.table import main

sys.exit(main())
