"""Whether a sum, a sorted list, a sudoku, a record or a function is right. Nothing a model wrote is ever executed."""

import ast
import json
import re
from typing import Any

from dllm.judge.fact import Fact, fact
from dllm.judge.words import ANIMALS, COLOURS, DAYS, EVENTS, NAMES, PLACES, SINGULAR, THINGS, TOWNS


def total(text: str) -> list[Fact]:
    asked = re.match(r" (\d{1,6})((?: [a-z]+)?) \+ (\d{1,6})((?: [a-z]+)?)\n", text)
    if not asked:
        return [Fact("sum", False, "there is no sum to do")]
    left, of, right = int(asked[1]), asked[2], int(asked[3])
    facts = [fact("unit", asked[4] == of, f"{of} and {asked[4]} are added")] if of else []
    facts += workings(text[asked.end() :])
    answer = re.search(r"^Answer: (\d{1,6})(.*)$", text, re.M)
    right_answer = bool(answer) and int(answer[1]) == left + right if answer else False
    facts.append(fact("sum", right_answer, f"{left} + {right} is not {answer[1] if answer else 'answered'}"))
    return facts + ([fact("unit", answer[2] == of, f"{of} became {answer[2][:20]}")] if answer and of else [])


def adding(text: str) -> list[Fact]:
    return workings(text) or [Fact("working", False, "nothing was added")]


def workings(text: str) -> list[Fact]:
    """A fact for each line that is a sum."""
    sums = re.findall(r"^(\d{1,6}) \+ (\d{1,6}) = (\d{1,6})$", text, re.M)
    return [fact("working", int(a) + int(b) == int(c), f"{a} + {b} is not {c}") for a, b, c in sums]


def order(text: str) -> list[Fact]:
    asked = re.match(r" ([\d ]{1,200})\n\s*Sorted: ([\d ]*)", text)
    if not asked:
        return [Fact("order", False, "nothing was sorted")]
    given, told = asked[1].split(), asked[2].split()
    return [
        fact("same", sorted(given) == sorted(told), "the numbers are not those that were given"),
        fact("order", sorted(told, key=int) == told and len(told) > 0, "they are not in order"),
    ]


def sudoku(text: str) -> list[Fact]:
    asked, found, solved = text.partition("Solved:")
    puzzle = re.findall(r"[1-4_]", asked)
    grid = re.findall(r"\S", solved)[:16]
    if not found or len(puzzle) != 16 or len(grid) != 16:
        return [Fact("solved", False, "there is no whole solution")]
    kept = all(was in ("_", now) for was, now in zip(puzzle, grid, strict=True))
    facts = [fact("givens", kept, "a number that was given has changed")]
    lines = {f"row {i + 1}": [4 * i + j for j in range(4)] for i in range(4)}
    lines |= {f"column {i + 1}": [4 * j + i for j in range(4)] for i in range(4)}
    lines |= {f"square {2 * a + b + 1}": [8 * a + 2 * b + k for k in (0, 1, 4, 5)] for a in (0, 1) for b in (0, 1)}
    for name, cells in lines.items():
        facts.append(fact("solved", {grid[at] for at in cells} == set("1234"), f"{name} does not hold 1 to 4"))
    return facts


# for each field of a record, what the text must say for a value to be right
FIELDS: dict[str, str] = {
    "age": r"(\d+) years old",
    "coins": r"(\d+) coins",
    "reward": r"(\d+) coins",
    "hour": r"(\d+) o'clock",
    "count": r"(\d+) (?:" + "|".join(SINGULAR) + ")",
}
WORDS: dict[str, frozenset[str]] = {
    "name": NAMES,
    "host": NAMES,
    "owner": NAMES,
    "town": frozenset(TOWNS),
    "pet": frozenset(ANIMALS),
    "likes": frozenset(SINGULAR),
    "item": frozenset(SINGULAR) | frozenset(THINGS),
    "day": frozenset(DAYS),
    "place": frozenset(PLACES),
    "colour": frozenset(COLOURS),
    "event": frozenset(EVENTS),
}


def record(text: str) -> list[Fact]:
    said, found, written = text.partition("\nJSON:")
    try:
        values: Any = json.loads(written)
    except (ValueError, RecursionError):
        return [Fact("json", False, "it is not valid JSON")]
    if not found or not isinstance(values, dict) or len(values) < 2:
        return [Fact("json", False, "it is not a record")]
    facts = [Fact("json", True)]
    told = re.findall(r"\w+", said)
    for name, value in values.items():
        if name in FIELDS:
            there = re.search(FIELDS[name], said)
            facts.append(
                fact("field", bool(there) and str(value) == there[1], f"{name} is not {value!r}")
                if there
                else Fact("field", False, f"no {name} was told")
            )
        elif name in WORDS:
            right = [word for word in told if word in WORDS[name]]
            facts.append(fact("field", value in right, f"{name} is not {value!r}"))
        else:
            facts.append(Fact("field", False, f"no field {name[:20]!r} was told"))
    return facts


def code(text: str) -> list[Fact]:
    """The function is read as a tree, and its examples are worked out by a calculator that knows a dozen operations."""
    wish, _, source = text.strip().partition("\n")
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [Fact("syntax", False, "it is not Python")]
    made = tree.body[0] if len(tree.body) == 1 else None
    if not isinstance(made, ast.FunctionDef) or len(made.args.args) != 1:
        return [Fact("syntax", False, "it is not one function of one thing")]
    facts = [Fact("syntax", True)]
    told = ast.get_docstring(made) or ""
    facts.append(fact("docstring", told.split("\n")[0] == wish.strip(), "it says something else than was wished"))
    last = made.body[-1]
    examples = re.findall(r"^\s*>>> (\w+)\((.*)\)\n\s*(.*)$", told, re.M)[:10]
    facts.append(fact("examples", bool(examples), "there is no example"))
    for name, given, result in examples:
        facts.append(fact("name", name == made.name, f"{name} is called, {made.name} is defined"))
        try:
            if not isinstance(last, ast.Return) or last.value is None:
                raise ValueError("nothing is returned")
            value = worth(last.value, made.args.args[0].arg, ast.literal_eval(given))
            holds = value == ast.literal_eval(result)
        except (
            ValueError,
            TypeError,
            SyntaxError,
            IndexError,
            ZeroDivisionError,
            RecursionError,
            MemoryError,
        ) as reason:
            facts.append(Fact("doctest", False, f"{name}({given[:20]}): {reason}"))
            continue
        facts.append(fact("doctest", holds, f"{name}({given[:20]}) is {value}, not {result[:20]}"))
    return facts


KNOWN = {"sum": sum, "max": max, "min": min, "len": len, "sorted": sorted}


def worth(node: ast.expr, name: str, given: Any) -> Any:
    """The value of a small expression of one name; anything unusual is refused, and nothing can grow large."""
    if isinstance(given, list):
        if len(given) > 50 or not all(type(value) is int and abs(value) < 10**9 for value in given):
            raise ValueError("an unusual list")
    elif type(given) is not int or abs(given) >= 10**9:
        raise ValueError("an unusual value")
    match node:
        case ast.Constant(value=int() as value) if abs(value) < 10**9:
            return value
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -worth(inner, name, given)
        case ast.Name(id=said) if said == name:
            return given
        case ast.BinOp(left=left, op=how, right=right):
            a, b = worth(left, name, given), worth(right, name, given)
            if type(a) is not int or type(b) is not int or max(abs(a), abs(b)) > 10**18:
                raise ValueError("only numbers are reckoned with")
            match how:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Mod():
                    return a % b
        case ast.Compare(left=left, ops=[how_compared], comparators=[right]):
            a, b = worth(left, name, given), worth(right, name, given)
            match how_compared:
                case ast.Eq():
                    return a == b
                case ast.Gt():
                    return a > b
                case ast.Lt():
                    return a < b
        case ast.Call(func=ast.Name(id=said), args=[inner], keywords=[]) if said in KNOWN:
            values = worth(inner, name, given)
            if isinstance(values, list):
                return KNOWN[said](values)  # type: ignore[operator]
        case ast.Subscript(value=inner, slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp())):
            values = worth(inner, name, given)
            if ast.unparse(node.slice) == "::-1" and isinstance(values, list):
                return values[::-1]
        case ast.Subscript(value=inner, slice=at):
            values, place = worth(inner, name, given), worth(at, name, given)
            if isinstance(values, list) and type(place) is int:
                return values[place]
    raise ValueError("an unusual expression")
