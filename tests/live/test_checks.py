"""Checks in a live run: found between two passes, undone with what they follow from, and made anew on a branch."""

from tests.live.stage import Stage, do
from unmask.models import load
from unmask.run.command import Fork, Play, Tune, Undo
from unmask.run.event import Done, Edited
from unmask.run.spec import RunSpec

PROMPT = "User: 86 + 4\nAssistant:"


async def test_a_live_run_reopens_what_a_check_finds(stage: Stage) -> None:
    pair = load("denoiser")
    spec = RunSpec(PROMPT, changes={"checks": ["sums"]})
    session = stage.open(spec.start(pair.card, pair.tokenizer), pair)  # type: ignore[arg-type]
    await do(session, Play())
    made = [event.edit for event in stage.of(session, Edited)]
    assert [(row["do"], row["outcome"], row["why"]) for row in made] == [("find", "reopened", "86 + 4 is 90")] * 2
    assert stage.of(session, Done)[-1].text.endswith("= 90") and session.is_over
    await do(session, Fork(2), Tune({"checks": []}), Play())
    assert session.text.endswith("= 80")
    # a check that is chosen when the text is whole reads it as soon as the run goes on
    await do(session, Tune({"checks": ["sums"]}), Play())
    assert session.text.endswith("= 90")
    await do(session, Undo(exact=True))
    assert session.text.endswith("= 80")
