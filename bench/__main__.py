"""`python -m bench`: runs all benchmarks, or those that are named."""

import sys

from bench.table import main

sys.exit(main())
