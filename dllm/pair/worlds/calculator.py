"""What a small expression of one name is worth. Nothing a model wrote is ever executed: it is read as a tree."""

import ast
from typing import Any

KNOWN = {"sum": sum, "max": max, "min": min, "len": len, "sorted": sorted}
ERRORS = (ValueError, TypeError, SyntaxError, IndexError, ZeroDivisionError, RecursionError, MemoryError)


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
        case ast.Call(func=ast.Name(id=name_used), args=[inner], keywords=[]) if name_used in KNOWN:
            values = worth(inner, name, given)
            if isinstance(values, list):
                return KNOWN[name_used](values)  # type: ignore[operator]
        case ast.Subscript(value=inner, slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp())):
            values = worth(inner, name, given)
            if ast.unparse(node.slice) == "::-1" and isinstance(values, list):
                return values[::-1]
        case ast.Subscript(value=inner, slice=at):
            values, place = worth(inner, name, given), worth(at, name, given)
            if isinstance(values, list) and type(place) is int:
                return values[place]
    raise ValueError("an unusual expression")
