"""The plan that is shown is the plan that is run."""

import pytest

from unmask.inference.decode import decode
from unmask.models.toy import Toy
from unmask.run.plan import plan_run
from unmask.run.presets import presets
from unmask.run.spec import RunSpec

TOY = Toy()


def test_each_block_of_llada2_has_passes_of_its_own() -> None:
    """The page once promised at most 32 passes where the engine planned 128."""
    plan = plan_run(RunSpec("1 " * 8, length=112, preset="llada2").start(TOY.card, TOY.tokenizer))
    assert plan.blocks == 4 and sum(plan.quotas) == 112
    assert plan.passes == 24 + 32 + 32 + 24  # a pass that finds nothing open is not made


@pytest.mark.parametrize("name", ["llada", "dream", "llada2", "p2"])
@pytest.mark.parametrize("length", [16, 33, 40, 112])
def test_a_run_takes_at_most_the_passes_planned(name: str, length: int) -> None:
    state = RunSpec("1 2 3", length=length, preset=name).start(TOY.card, TOY.tokenizer)
    assert len(list(decode(TOY, state))) <= plan_run(state).passes


@pytest.mark.parametrize("name", sorted(presets()))
def test_every_cell_has_a_pass_in_the_plan(name: str) -> None:
    state = RunSpec("1 2 3", length=70, preset=name).start(TOY.card, TOY.tokenizer)
    assert sum(plan_run(state).quotas) == 70
