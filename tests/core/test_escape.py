"""What data can hold, in each place where it is shown: printed as text, never read as a command."""

from __future__ import annotations

import pytest

from harness.core.escape import file_name, html, markdown, markdown_code, spreadsheet, terminal, tex


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("last_hop@5", r"last\_hop@5"),
        ("a & 50% #1 $", r"a \& 50\% \#1 \$"),
        ("{x}~^\\", r"\{x\}\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ("^^5cinput", r"\textasciicircum{}\textasciicircum{}5cinput"),
        ("[2cm] *", "{[}2cm{]} {*}"),
        ("<.001", r"\textless{}.001"),
        ("--help", "-{}-help"),
        ("12–34", r"12\textendash{}34"),
        ("é", "é"),
        ("漢", r"\texttt{U+6F22}"),
        ("a\nb", "a b"),
        ("a\x00\x1b[2J\x7f", "a{[}2J"),
    ],
)
def test_tex(text: str, latex: str) -> None:
    assert tex(text) == latex


def test_no_letter_of_tex_that_acts_is_left_bare() -> None:
    acting = {
        "\\": "",
        "{": "",
        "}": "",
        "$": "",
        "&": "",
        "#": "",
        "%": "",
        "_": "",
        "^": "",
        "~": "",
    }
    for letter in acting:
        shown = tex(letter)
        assert shown != letter
        assert shown.startswith("\\")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("\x1b]0;title\x07", "]0;title"),
        ("a\r\nb\tc", "a  b c"),
        ("\x9b2J\x85", "2J "),
        ("gold\u202e dlog", "gold dlog"),
        ("\ud800x", "x"),
        ("a\u2028b", "a b"),
        ("می\u200cخواهم é 漢", "می\u200cخواهم é 漢"),
    ],
)
def test_terminal(text: str, shown: str) -> None:
    assert terminal(text) == shown


def test_html() -> None:
    assert html("<script>'\"&\x00</script>") == "&lt;script&gt;&#x27;&quot;&amp;&lt;/script&gt;"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**bold** [a](http://x)", r"\*\*bold\*\* \[a\](http\://x)"),
        ("<img src=x onerror=y>", "&lt;img src=x onerror=y&gt;"),
        ("![x](y) `code` | ~~a~~", r"!\[x\](y) \`code\` \| \~\~a\~\~"),
        ("# head\n- item", r"\# head - item"),
        ("- last_hop@5 of _x_ 1.5 @me", r"\- last_hop@5 of \_x\_ 1.5 \@me"),
        ("1. one", r"1\. one"),
    ],
)
def test_markdown(text: str, shown: str) -> None:
    assert markdown(text) == shown


def test_a_block_of_code_ends_where_it_says() -> None:
    assert markdown_code("harness sweep") == "```\nharness sweep\n```"
    assert markdown_code("a\n```\n<b>") == "````\na\n```\n<b>\n````"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("../../etc/x", "etc-x"),
        ("one sample k=1", "one-sample-k-1"),
        ("é", "unnamed"),
        ("a_b", "a_b"),
    ],
)
def test_file_name(text: str, name: str) -> None:
    assert file_name(text) == name


def test_a_long_file_name_is_short_and_its_own() -> None:
    names = {file_name("x" * 300 + end) for end in ("1", "2")}
    assert {len(name) for name in names} == {80}
    assert len(names) == 2
    assert file_name("x" * 80) == "x" * 80


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+sentences", "'+sentences"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "' =1"),
        ("\x1b=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("-", "-"),
        ("a=b", "a=b"),
        ("", ""),
        (-0.5, -0.5),
        (None, None),
        ("\x1b[2Jbridge\r\nx", "[2Jbridge  x"),
    ],
)
def test_no_cell_of_csv_is_a_formula(value: object, cell: object) -> None:
    assert spreadsheet(value) == cell
