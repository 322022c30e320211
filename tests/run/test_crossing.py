"""The curves of both sides against users at once, on works whose times are worked by hand."""

import csv
import io
import xml.etree.ElementTree as ElementTree

import pytest

from unmask.errors import InvalidRequest
from unmask.run.clock_sentence import TimedRun
from unmask.run.crossing import Crossing, crossing, curve, to_csv, to_svg
from unmask.run.fed_tokens import Work
from unmask.run.modelled_time import Clock, measured_time
from unmask.run.pass_time import CHIPS, Size

CLOCK = Clock(CHIPS["h100"], Size(8e9, 8e9), efficiency=1)
# 100 tokens: in 20 passes over 128 cells, and one at a time
RUN = TimedRun("denoiser", measured_time([0.1] * 20, 100), [Work(1, 128, 0)] * 20)
TWIN = TimedRun("twin", measured_time([0.02] * 100, 100), [Work(1, 1, 0)] * 100)


def found() -> Crossing:
    return crossing(CLOCK, RUN, TWIN, price=3.6)


def test_speeds_and_costs() -> None:
    first = found().run[0]
    # 20 passes of 16e9 / 3.35e12 s are 95.5 ms for 100 tokens: 1,047 a second, 0.001 a second: 0.955 a million
    assert first.per_user == first.total == pytest.approx(1046.9, rel=1e-3)
    assert first.per_million == pytest.approx(0.9552, rel=1e-3)
    assert first.first_pass == pytest.approx(4.776e-3, rel=1e-3)


def test_the_lines_cross_where_five_steps_of_the_twin_take_one_pass() -> None:
    # one pass over 128 B cells takes 2.0706 B ms, five steps 23.88 ms: 11.53 users
    assert found().at == 12
    points = {side: curve(CLOCK, of, users=(11, 12)) for side, of in (("run", RUN), ("twin", TWIN))}
    assert points["run"][0].per_user > points["twin"][0].per_user
    assert points["run"][1].per_user < points["twin"][1].per_user


def test_the_lines_do_not_cross_where_one_side_stays_faster() -> None:
    slow = TimedRun("slow", RUN.measured, [Work(6, 128, 0)] * 20)
    assert crossing(CLOCK, slow, TWIN).at is None


def test_csv_has_a_row_for_each_side_and_number_of_users() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(found()))))
    assert len(rows) == 18
    assert float(rows[0]["tokens_per_second_per_user"]) == pytest.approx(1046.9, rel=1e-3)


def test_svg_is_drawn_inside_its_frame_and_escapes_names() -> None:
    root = ElementTree.fromstring(to_svg(found(), ("a < b", "twin"), "speed"))
    lines = [e.get("points", "") for e in root.iter("{http://www.w3.org/2000/svg}polyline")]
    assert len(lines) == 4
    for x, y in (pair.split(",") for line in lines for pair in line.split()):
        assert 0 <= float(x) <= 640 and 0 <= float(y) <= 360
    assert "they cross at 12" in "".join(root.itertext()) and "a < b" in "".join(root.itertext())


@pytest.mark.parametrize("price", [-1, float("nan"), float("inf")])
def test_bad_prices_are_refused(price: float) -> None:
    with pytest.raises(InvalidRequest):
        crossing(CLOCK, RUN, TWIN, price)
