# Sets Unmask up, starts it, tests, checks and measures it. Every target stands alone: on a fresh clone `make run` is enough.

PORT ?= 7860
ARGS ?=
PYTHON := .venv/bin/python
PYTEST := HF_HUB_OFFLINE=1 $(PYTHON) -m pytest
NPM := $(if $(shell command -v npm),npm run --silent,@echo "Node.js is not here, so this was left out: npm run")

# Training on a CPU: threads that wait sleep. Measured: 3 to 5 times as fast.
TRAIN := OMP_WAIT_POLICY=PASSIVE nice $(PYTHON) -m pair.train

export GRADIO_ANALYTICS_ENABLED := False

.PHONY: help setup run test test-all clients test-quick check format bench train train-smoke remake traces examples gallery decoders figures card calibrate shots gif fuzz soak audit size lock faults installed schemas real statechart

# Every target with the line that explains it.
help:
	@awk '/^# /{says = substr($$0, 3)} /^$$/{says = ""} /^[a-z][a-z-]*:/{split($$1, name, ":"); printf "%-12s %s\n", name[1], says; says = ""}' Makefile

# Installs what the app, the tests and the checks need.
setup: .venv/.runtime .venv/.dev node_modules/.done

# Each stamp is newer than what it was made from, so that a second `make` has nothing to do.
.venv/.runtime: requirements.txt
	scripts/setup.sh runtime
.venv/.dev: requirements-dev.txt requirements-torch.txt .venv/.runtime
	scripts/setup.sh dev
node_modules/.done: package.json package-lock.json .venv/.runtime
	scripts/setup.sh javascript

# The app on http://localhost:7860; PORT=8000 for another port. Installs what it needs first.
run: .venv/.runtime
	$(PYTHON) app.py --port $(PORT)

# Ten minutes on two cores. ARGS go to pytest: make test ARGS="tests/decide -x"
test: setup
	scripts/test.sh "not long" $(ARGS)

# All tests, each in its longest form: 25 minutes on two cores.
test-all: setup
	scripts/test.sh "not short" $(ARGS)

# Other people's clients and their own test suites, and many more schemas and prompts than make test-all has.
# Needs the network the first time. AT=f53d374 runs the suites against that commit.
clients: setup
	scripts/clients.sh
	SCHEMAS=500 PROMPTS=200 $(PYTEST) tests/clients/every_client.py tests/serve/v1/test_schemas.py \
		tests/serve/v1/test_limits_of_text.py $(ARGS)
	$(PYTHON) -m tests.clients.suites $(if $(AT),--at $(AT))

# Two hundred schemas through /v1, by each bundled model. ARGS=40 for fewer.
schemas: setup
	HF_HUB_OFFLINE=1 $(PYTHON) -m tests.schemas.every_schema $(ARGS)

# Trained weights of others, and the page's journey with them. Needs the network the first time.
real: setup
	$(PYTHON) -m scripts.real_model
	CHROMIUM="$$(scripts/chromium.sh)" && export CHROMIUM && UNMASK_REAL=$(CURDIR)/build/real/sapiens_vh \
		$(PYTEST) tests/browser/test_real_model.py tests/inference/test_real_model.py $(ARGS)

# The wheel in a fresh environment, tried from another folder: command line, Python, a decoder and a model of one's own, Chromium.
installed: setup
	scripts/installed.sh $(ARGS)

# Without browser and slow tests.
test-quick: setup
	$(PYTEST) -m "not browser and not slow" $(ARGS)

# Style, types, import rules and words.
check: setup
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports --no-logo
	.venv/bin/bandit --quiet --severity-level medium --recursive dllm ui app.py pair scripts bench
	$(PYTEST) -q tests/test_words.py
	$(NPM) lint
	$(NPM) types

# Rewrites the code in the project's style.
format: setup
	.venv/bin/ruff check --fix-only .
	.venv/bin/ruff format .
	$(NPM) format

# One table of all that is measured, with what is wanted beside it: bench/RESULTS.md. About ten minutes.
bench: setup
	CHROMIUM="$$(scripts/chromium.sh)" && export CHROMIUM && PYTHONPATH=. $(PYTHON) -m bench $(ARGS)

# Trains the bundled pair: hours on a CPU.
train: setup
	$(TRAIN) $(ARGS)

# Both kinds of model from nothing, small.
train-smoke: setup
	rm -rf build/train-smoke
	$(TRAIN) --smoke $(ARGS)

# The first views, and the README's picture of one: run again whenever the weights change.
traces: setup
	$(PYTHON) -m pair.scripts.record
	PYTHONPATH=. $(PYTHON) scripts/picture.py assets/traces/first.diffusion.trace.jsonl

# Which decoders break texts off with these weights: the list of decoders warns of them.
decoders: setup
	$(PYTHON) -m pair.evaluation.decoders $(ARGS)

# The README's charts, from real runs: again whenever the weights change.
figures: setup
	$(PYTHON) -m pair.scripts.figures $(ARGS)
	$(PYTHON) -m pair.evaluation.decisions

# Twelve recorded runs that each show something, looked for with the judge: again whenever the weights change.
gallery: setup
	$(PYTHON) -m pair.evaluation.gallery

# What the page offers: the six examples, prompts of each kind, and the limit that tells whether a prompt is of their kind.
# Run again whenever the weights change; it says what they cannot show. A few minutes on one core.
examples: setup
	$(PYTHON) -m pair.evaluation.ood_threshold
	$(PYTHON) -m pair.evaluation.offers
	$(PYTHON) -m pair.evaluation.nonsense --check
	$(PYTHON) -m pair.scripts.examples $(ARGS)

# All that is made from the weights, anew, and then the tests of what the lessons, examples and pictures claim.
remake: traces decoders examples gallery figures card gif
	$(PYTEST) -n 2 --dist loadfile tests/lessons tests/pair pair/tests tests/ui tests/test_assets.py tests/test_readme.py $(ARGS)

# What the card says of the weights: the judge's whole table, the samples, and what the runs in RUNS cost.
card: setup
	mkdir -p build
	$(PYTHON) -m unmask judge $(ARGS) | sed '/^written:/d' > build/judged.txt
	{ echo "\`python -m unmask judge\`, $$(date +%F)."; echo; echo '```'; cat build/judged.txt; echo '```'; } > assets/models/judged.md
	$(PYTHON) -m pair.scripts.samples
	$(if $(RUNS),$(PYTHON) -m pair.train.report $(RUNS))

# Fits the temperatures of the denoiser's beliefs anew, after training: they are part of its configuration.
calibrate: setup
	$(PYTHON) -m pair.evaluation.calibration

# How large the code is, as a table. ARGS="--worst" names what is too long; a path counts another checkout.
size: setup
	$(PYTHON) -m scripts.size $(ARGS)

# Screenshots of every state of the page.
shots: setup
	CHROMIUM="$$(scripts/chromium.sh)" && export CHROMIUM && PYTHONPATH=. $(PYTHON) scripts/screenshots.py $(ARGS)

# The README's GIF, from the page itself.
gif: setup
	CHROMIUM="$$(scripts/chromium.sh)" && export CHROMIUM && $(PYTHON) -m scripts.readme_gif

# Many more random inputs than the tests try.
fuzz: setup
	$(PYTEST) -m fuzz --hypothesis-profile=fuzz --timeout=0 $(ARGS)

# Thirty visitors for ten minutes, with faults; SECONDS=60 is the short form that the tests run.
soak: .venv/.runtime
	PYTHONPATH=. $(PYTHON) -m bench.soak $(ARGS)

# Known holes in what is pinned. Needs the network, and fails where it could ask nobody.
audit: setup
	$(PYTHON) scripts/audit.py

# Writes docs/statechart.md, the picture of what a stage is doing, from its data.
statechart:
	node scripts/statechart.js

# Writes constraints.txt, requirements*.txt and requirements.lock from pyproject.toml. ARGS="--upgrade NAME" takes a newer version.
lock: setup
	$(PYTHON) -m scripts.lock $(ARGS)

# Every row of the table of faults, the tests that inject it, and how they ended.
faults: setup
	PYTHONPATH=. $(PYTHON) -m scripts.faults $(ARGS)
