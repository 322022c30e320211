"""What a small expression of one name is worth. Nothing a model wrote is ever executed: it is read as a tree."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

KNOWN = {"sum": sum, "max": max, "min": min, "len": len, "sorted": sorted}
ERRORS = (ValueError, TypeError, SyntaxError, IndexError, ZeroDivisionError, RecursionError, MemoryError)
OPERATORS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
    ast.Eq: operator.eq, ast.Gt: operator.gt, ast.Lt: operator.lt,
}  # fmt: skip


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
        case ast.Name(id=name_used) if name_used == name:
            return given
        case ast.BinOp(left=left, op=how, right=right) if type(how) in OPERATORS:
            a, b = worth(left, name, given), worth(right, name, given)
            if type(a) is not int or type(b) is not int or max(abs(a), abs(b)) > 10**18:
                raise ValueError("only numbers are reckoned with")
            return OPERATORS[type(how)](a, b)
        case ast.Compare(left=left, ops=[how_compared], comparators=[right]) if type(how_compared) in OPERATORS:
            return OPERATORS[type(how_compared)](worth(left, name, given), worth(right, name, given))
        case ast.Call(func=ast.Name(id=name_used), args=[inner], keywords=[]) if name_used in KNOWN:
            values = worth(inner, name, given)
            if isinstance(values, list):
                return KNOWN[name_used](values)  # type: ignore[operator]
        case ast.Subscript(value=inner, slice=at):
            return _part(worth(inner, name, given), at, name, given)
    raise ValueError("an unusual expression")


def _part(values: Any, at: ast.expr, name: str, given: Any) -> Any:
    """An entry of a list, or the list backwards."""
    if isinstance(values, list):
        if ast.unparse(at) == "::-1":
            return values[::-1]
        if type(place := worth(at, name, given)) is int:
            return values[place]
    raise ValueError("an unusual expression")
