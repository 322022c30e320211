"""Small functions: a wish, a function that does what was wished, and two examples that are true."""

import ast
import re
from functools import cache
from random import Random
from typing import Any

from unmask.pair.worlds.calculator import ERRORS, worth
from unmask.pair.worlds.document import Document, World, fact
from unmask.pair.worlds.words import NUMBERS
from unmask.run.judge import Fact, Verdict

# what is done to a number: name, wish for n, wish for "it", and how it is written behind what it is done to
CHANGES = [
    (f"{name}_{NUMBERS[k]}", task.format("n", NUMBERS[k]), task.format("it", NUMBERS[k]), f" {sign} {k}")
    for name, task, sign in (
        ("add", "add {1} to {0}", "+"),
        ("take", "take {1} from {0}", "-"),
        ("times", "multiply {0} by {1}", "*"),
    )
    for k in range(2, 13)
]
ASKS = [(f"more_than_{NUMBERS[k]}", f"say whether n is more than {NUMBERS[k]}", f"n > {k}") for k in range(2, 13)]
ASKS += [("double", "double n", "n + n"), ("is_even", "say whether n is even", "n % 2 == 0")]
LISTS = [
    ("total", "add up the numbers", "sum(numbers)"),
    ("largest", "find the largest number", "max(numbers)"),
    ("smallest", "find the smallest number", "min(numbers)"),
    ("count", "count the numbers", "len(numbers)"),
    ("first", "give the first number", "numbers[0]"),
    ("last", "give the last number", "numbers[-1]"),
]
WHOLE = [
    ("in_order", "sort the numbers", "sorted(numbers)"),
    ("backwards", "turn the list round", "numbers[::-1]"),
]


@cache
def tasks() -> dict[str, tuple[str, str, str]]:
    """Wish → the function's name, what it is given, and what it returns."""
    found = {task: (name, "n", body) for name, task, body in ASKS}
    found |= {task: (name, "n", f"n{change}") for name, task, _, change in CHANGES}
    found |= {task: (name, "numbers", body) for name, task, body in LISTS + WHOLE}
    found |= dict(twice())
    return {task[0].upper() + task[1:] + ".": spec for task, spec in found.items()}


def twice() -> list[tuple[str, tuple[str, str, str]]]:
    """Wishes for one thing and then another."""
    made = []
    for name, task, _, change in CHANGES:
        for after, _, then, second in CHANGES:
            if change != second:
                start = f"(n{change})" if "*" in second else f"n{change}"
                made.append((f"{task}, then {then}", (f"{name}_{after}", "n", f"{start}{second}")))
    for name, task, body in LISTS:
        for after, _, then, change in CHANGES:
            made.append((f"{task}, then {then}", (f"{name}_{after}", "numbers", f"{body}{change}")))
    return made


@cache
def _groups() -> tuple[tuple[str, ...], ...]:
    plain = [task for task in tasks() if ", then" not in task]
    many = [task for task in plain if tasks()[task][1] == "numbers"]
    one = [task for task in plain if task not in many]
    return tuple(one), tuple(many), tuple(task for task in tasks() if ", then" in task)


def write(rng: Random, new: bool = False) -> Document:
    task = rng.choice(rng.choices(_groups(), (50, 25, 25))[0])
    name, needs, body = tasks()[task]
    tree = ast.parse(body, mode="eval").body
    given = tries(tree, needs, rng)
    examples = "".join(f"\n    >>> {name}({value})\n    {worth(tree, needs, value)}" for value in given)
    ask = f"Code: {task}\n"
    return Document(f'{ask}def {name}({needs}):\n    """{task}\n{examples}\n    """\n    return {body}', ask, "code")


def tries(tree: ast.expr, needs: str, rng: Random) -> list[Any]:
    """Two things to try a function with: short lists, or numbers so small that one can work the result out in the head,
    from the first whose result is not below nothing."""
    if needs == "numbers":
        return [[rng.randint(1, 9) for _ in range(rng.randint(2, 4))] for _ in range(2)]
    small = [n for n in range(2, 31) if worth(tree, needs, n) >= 0]
    return rng.sample(small[:19] if isinstance(worth(tree, needs, 2), bool) else small[:11], 2)


def read(question: str, answer: str) -> Verdict:
    task, _, source = f"{question}{answer}".strip().partition("\n")
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Verdict((Fact("syntax", False, "it is not Python"),))
    made = tree.body[0] if len(tree.body) == 1 else None
    if not isinstance(made, ast.FunctionDef) or len(made.args.args) != 1:
        return Verdict((Fact("syntax", False, "it is not one function of one thing"),))
    facts = [Fact("syntax", True)]
    doc = ast.get_docstring(made) or ""
    facts.append(fact("docstring", doc.split("\n")[0] == task.strip(), "it says something else than was wished"))
    last = made.body[-1]
    body = last.value if isinstance(last, ast.Return) else None
    needs = made.args.args[0].arg
    examples = re.findall(r"^\s*>>> (\w+)\((.*)\)\n\s*(.*)$", doc, re.M)[:10]
    facts.append(fact("examples", bool(examples), "there is no example"))
    for name, given, result in examples:
        facts.append(fact("name", name == made.name, f"{name} is called, {made.name} is defined"))
        try:
            value = returned(body, needs, ast.literal_eval(given))
            holds = value == ast.literal_eval(result)
        except ERRORS as reason:
            facts.append(Fact("doctest", False, f"{name}({given[:20]}): {reason}"))
            continue
        facts.append(fact("doctest", holds, f"{name}({given[:20]}) is {value}, not {result[:20]}"))
    return Verdict(tuple(facts), reasons(task.strip(), made, body))


def returned(body: ast.expr | None, needs: str, given: Any) -> Any:
    if body is None:
        raise ValueError("nothing is returned")
    return worth(body, needs, given)


def reasons(task: str, made: ast.FunctionDef, body: ast.expr | None) -> tuple[str, ...]:
    """Why this is not the function that was asked for."""
    if task not in tasks():
        return ("nobody knows what was wished for",)
    name, needs, wanted = tasks()[task]
    found = [] if made.name == name else [f"it is called {made.name}, not {name}"]
    if len(made.body) != 2:
        found.append("it is more than a docstring and one line")
    tree = ast.parse(wanted, mode="eval").body
    cases: list[Any] = [2, 7, 12, 31] if needs == "n" else [[4, 1, 3], [2, 9], [5, 5, 8, 1]]
    try:
        same = all(returned(body, made.args.args[0].arg, case) == worth(tree, needs, case) for case in cases)
    except ERRORS:
        same = False
    return (*found, *(() if same else ("it does something else than was wished",)))


WORLD = World("code", "Code", write, read)
