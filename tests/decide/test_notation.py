"""A grammar becomes a pattern for its texts: both notations, repetition for a loop at an end, depth for the rest."""

import re

import pytest

from unmask.decide.constraint import rule
from unmask.decide.grammar.alphabet import Alphabet
from unmask.decide.grammar.budget import step_budget
from unmask.decide.grammar.notation import grammar_pattern
from unmask.errors import InvalidRequest

ARITHMETIC = """
?start: sum
?sum: product
    | sum "+" product   -> add
    | sum "-" product   -> sub
?product: atom
    | product "*" atom  -> mul
?atom: NUMBER           -> number
    | "-" atom          -> neg
    | "(" sum ")"
%import common.NUMBER
%import common.WS_INLINE
%ignore WS_INLINE
"""
JSON = r"""
root   ::= object
value  ::= object | array | string | number | ("true" | "false" | "null") ws
object ::=
  "{" ws (
    string ":" ws value
    ("," ws string ":" ws value)*
  )? "}" ws
array  ::= "[" ws ( value ("," ws value)* )? "]" ws
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) )* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
# white space is at most one blank
ws ::= | " "
"""

CASES = [
    ('root ::= "yes" | "no"', ["yes", "no"], ["", "yesno", "y"]),
    ('?start: answer\nanswer: "yes" | "no"', ["yes", "no"], ["", "maybe"]),
    ('answer ::= "a" b\nb ::= "b"? "c"+', ["ac", "abc", "abccc"], ["a", "ab"]),
    ("root ::= [a-c]{2} [^a-z] [&|~]", ["ab1&", "cc ~"], ["abc&", "a1&"]),
    ("start: WORD (\",\" WORD)*\nWORD: /[a-z]+/", ["a", "ab,c"], ["a,", "A"]),
    ('start: "Yes"i ["!"]', ["yes", "YES!", "yEs"], ["yes?"]),
    ('start: "a".."c" ~ 2..3', ["ab", "abc"], ["a", "abcd", "ad"]),
    ('start: x~2\nx: "ab"', ["abab"], ["ab", "ababab"]),
    ('root ::= item ("," item){0,2}\nitem ::= "x"', ["x", "x,x,x"], ["x,x,x,x"]),
    ('list ::= item | item "," list\nitem ::= "x"', ["x", "x,x,x,x,x,x"], ["x,", ""]),
    ('list: item | list ";" item\nitem: "x"', ["x", "x;x;x;x;x;x"], [";x"]),
    ('root ::= "(" root ")" | "x"', ["x", "(x)", "((x))"], ["(x", "(((x)))"]),
    ("root ::= 'it''s' ' ok'", ["its ok"], ["it's ok"]),
    ('start: "a" // a comment\n     | "b" # another\n', ["a", "b"], ["ab"]),
    ('%import common (INT, CNAME)\nstart: CNAME "=" INT', ["x_1=20"], ["1=x"]),
    ('%import common.INT -> NUM\nstart: NUM', ["12"], ["x"]),
    (r'root ::= "\"" "\n" "\u00e9" "."', ['"\né.'], ['"\né!']),
    (ARITHMETIC, ["1", "1+2*3-4", "-(1+2)*3", "((1))"], ["1+", "(1", "(((1)))"]),
    (JSON, ["{}", '{"a": [1, 2.5, {"b": null}]}', '{"a":"x\\n"}'], ["[]", '{"a"}', "{'a': 1}"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "yes", "no"), CASES)
def test_a_grammar_means_its_texts(text: str, yes: list[str], no: list[str]) -> None:
    pattern = grammar_pattern(text, 2)
    for one in yes:
        assert re.fullmatch(pattern, one), one
    for one in no:
        assert not re.fullmatch(pattern, one), one


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "a grammar has rules"),
        ("yes | no", "a grammar has rules"),
        ('root ::= "a" b', "no rule 'b'"),
        ('root ::= "(" root ")"', "more than 2 times"),
        ('root ::= ("a"', "does not close"),
        ('start: "a"\n%import python.NAME', "%import"),
        ('start: "a"\n%import common.NOTHING', "NOTHING"),
        ('start: "a"\n%declare B', "%declare"),
        ("start: /a/i", "no flags"),
        ('root ::= "a" )', "outside of a rule"),
        ('start: "a".."bc"', "two letters"),
        ("root ::= “yes”", "cannot be read at"),
        (
            "a ::= [x] | b b b b b b b b b b b b b b b b b b b b\nb ::= [x] a b [y] | [y] a [x] | [z]",
            "too large|takes too long",
        ),
        ("\n".join(f"r{i} ::= {' | '.join(f'[a] r{j} [b]' for j in range(9))}" for i in range(9)), "takes too long"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, why: str) -> None:
    with pytest.raises(InvalidRequest, match=why), step_budget():
        grammar_pattern(text, 2)


def test_the_depth_is_how_often_a_rule_may_contain_itself() -> None:
    text = 'root ::= "(" root ")" | "x"'
    depths = [
        max(n for n in range(9) if re.fullmatch(grammar_pattern(text, d), "(" * n + "x" + ")" * n)) for d in (0, 1, 4)
    ]
    assert depths == [0, 1, 4]


def test_the_constraint_reads_the_grammar() -> None:
    letters = Alphabet([chr(code) for code in range(32, 127)])
    made = rule({"kind": "grammar", "text": ARITHMETIC, "depth": 1}, letters)
    assert made.automaton is not None
