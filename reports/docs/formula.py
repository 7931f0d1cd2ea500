"""Formulas as docstrings have them, ``score(d) = sum_l w_l / (k + rank_l(d))``, as LaTeX; and LaTeX
as MathML.

A browser shows MathML by itself: no script, no fonts, nothing to fetch. A formula is only taken for
one where all of it can be read; other lines stay text.
"""

from __future__ import annotations

import re
from typing import Any

GREEK = {
    "alpha",
    "beta",
    "gamma",
    "theta",
    "tau",
    "lambda",
    "phi",
    "epsilon",
    "sigma",
    "mu",
    "delta",
}
OPERATORS = {"exp", "ln", "log", "cos", "tanh"}
NAMES = {
    "score",
    "value",
    "rank",
    "mean",
    "std",
    "inf",
    "min",
    "max",
    "bonus",
    "importance",
    "blend",
    "CombSUM",
}
"""Words of a formula; any other word of more than a letter makes a line text."""
RELATIONS = {"=": "=", "<-": r"\leftarrow", "<=": r"\le", ">=": r"\ge", "<": "<", ">": ">"}
TOKEN = re.compile(
    r"\s*(<-|<=|>=|\d+(?:\.\d+)?(?:e-?\d+)?|[A-Za-z]\w*|\[d [a-z ]+\]|[-+/^=<>()\[\]|,])"
)
START = re.compile(
    r"(?:^|(?<=: )|(?<=; )|(?<=\.    ))(?=[A-Za-z]\w*(?:\([\w ,|]+\))? (?:=|<-) )", re.M
)
END = re.compile(r"$|[,;.](?:\s|$)|    |\)")


class NoFormula(Exception):
    """The text is no formula."""


class Reader:
    """One formula, read from a place of a text on."""

    def __init__(self, text: str, place: int) -> None:
        self.text, self.place = text, place

    def peek(self) -> str:
        """The next token, or nothing where prose begins."""
        found = TOKEN.match(self.text, self.place)
        return found[1] if found else ""

    def take(self, expected: str = "") -> str:
        """The next token, which must be the expected one."""
        token = self.peek()
        if not token or (expected and token != expected):
            raise NoFormula
        self.place = self.text.index(token, self.place) + len(token)
        return token

    def relation(self) -> str:
        """A left side, a sign, a right side; more of them."""
        parts = [self.sum()]
        while self.peek() in RELATIONS:
            parts += [RELATIONS[self.take()], self.sum()]
        return " ".join(parts)

    def sum(self) -> str:
        """Products with signs between them."""
        parts = [self.take()] if self.peek() == "-" else []
        parts.append(self.product())
        while self.peek() in ("+", "-"):
            parts += [self.take(), self.product()]
        return " ".join(parts)

    def product(self) -> str:
        """Factors beside each other, over those behind each slash."""
        made = self.power()
        while (token := self.peek()) and (
            token == "/" or token in "([|" or token[0].isalnum() or token[0] == "["
        ):
            if token == "/":
                self.take()
                made = rf"\frac{{{bare(made)}}}{{{bare(self.power())}}}"
            elif token == "x" and not self.text.startswith(
                "(", self.text.index("x", self.place) + 1
            ):
                self.take()
                made = rf"{made} \times {self.power()}"
            else:
                made = rf"{made} \, {self.power()}"
        return made

    def power(self) -> str:
        """A factor with its exponent."""
        made = self.factor()
        while self.peek() == "^":
            self.take()
            made = rf"{{{made}}}^{{{bare(self.factor())}}}"
        return made

    def factor(self) -> str:
        """A number, a name, a function of something, something in brackets."""
        token = self.take()
        if token.startswith("[d "):
            return condition(token)
        if token in ("(", "["):
            inner = self.listed()
            closing = self.take(")" if token == "(" else "]")
            below = self.text[self.place : self.place + 2] == "_+"
            self.place += 2 * below
            tall = r"\frac" in inner or "^" in inner
            made = rf"\left{token}{inner}\right{closing}" if tall else f"{token}{inner}{closing}"
            return made + ("_{+}" if below else "")
        if token[0].isdigit():
            mantissa, power, exponent = token.partition("e")
            ten = f"10^{{{int(exponent)}}}" if power else ""
            return ten if mantissa == "1" and power else mantissa + ten
        return self.named(token)

    def named(self, token: str) -> str:
        """A name, and what it is a function of."""
        head, _, low = token.partition("_")
        if not head or not token[0].isalpha():
            raise NoFormula
        if head == "sqrt":
            return rf"\sqrt{{{bare(self.factor())}}}"
        if head == "sum":
            if not low:
                raise NoFormula
            return rf"\sum_{{{low}}} {self.product()}"
        called = self.text.startswith("(", self.place)
        made = symbol(head) + (rf"_{{{below(low)}}}" if low else "")
        if called:
            return made + self.factor()
        return rf"{made} {self.power()}" if head in OPERATORS and not called else made

    def listed(self) -> str:
        """Several things with commas between them."""
        parts = [self.relation()]
        while self.peek() == ",":
            self.take()
            parts.append(self.relation())
        return ", ".join(parts)


def symbol(name: str) -> str:
    """A letter, a Greek letter, or a word in upright letters."""
    if name in GREEK:
        return "\\" + name
    if match := re.fullmatch(r"([A-Za-z])(\d)", name):
        return f"{match[1]}_{{{match[2]}}}"
    if len(name) == 1:
        return name
    if name in NAMES | OPERATORS:
        return rf"\mathrm{{{name}}}"
    raise NoFormula


def condition(token: str) -> str:
    """Iverson's bracket: 1 where what it says of d is so."""
    said = token.removeprefix("[d ").removesuffix("]")
    sign, what = (r"\in", said.removeprefix("in ")) if said.startswith("in ") else (r"\ ", said)
    return f"[d {sign} {what}]" if len(what) == 1 else f"[d {sign} \\text{{{what}}}]"


def below(name: str) -> str:
    """A subscript: letters are indices, a word is a name."""
    return name if len(name) <= 2 else rf"\mathrm{{{name}}}"


def bare(made: str) -> str:
    """Without the brackets around all of it: a fraction, a root or an exponent needs none."""
    plain = made.replace(r"\left", "").replace(r"\right", "")
    ends = [
        place
        for place in range(len(plain))
        if plain.count("(", 0, place + 1) == plain.count(")", 0, place + 1)
    ]
    if not plain.startswith("(") or ends[:1] != [len(plain) - 1]:
        return made
    return made[6:-7] if made.startswith(r"\left") else made[1:-1]


def formulas(text: str) -> list[tuple[int, int, str]]:
    """Where formulas stand in a text: start, end, LaTeX."""
    found: list[tuple[int, int, str]] = []
    for start in (match.start() for match in START.finditer(text)):
        reader = Reader(text, start)
        try:
            made = reader.relation()
        except (NoFormula, ValueError):
            continue
        if END.match(text, reader.place) and (not found or found[-1][1] <= start):
            found.append((start, reader.place, made))
    return found


def mathml(latex: str, block: bool = False) -> str:
    """LaTeX as an element that a browser shows; fractions and sums have their full size within a
    line, too.
    """
    from latex2mathml.converter import convert

    return str(convert(latex, display="block" if block else "inline")).replace(
        "<math ", '<math displaystyle="true" ', 1
    )


def fence(source: str, language: str, css_class: str, options: Any, md: Any, **_: Any) -> str:
    """A block ``math`` of a page."""
    return mathml(source, block=True)
