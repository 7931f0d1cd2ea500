"""The documentation: its code runs and prints what it says, it builds strictly, and it has every
public name.
"""

from __future__ import annotations

import ast
import doctest
import functools
import importlib
import importlib.util
import inspect
import json
import os
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import yaml

import harness
from harness.__main__ import commands, documentation
from harness.core.configuration import extensions
from harness.core.configuration.command_line import CommandLine
from harness.core.configuration.composition import compose
from harness.core.configuration.conf_files import names
from tests import process

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "reports" / "docs"
BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]*?) -->\n)?```(?P<kind>python|pycon|console)\n(?P<text>.*?)^```$"
    r"(?:\n\n```text\n(?P<output>.*?)^```$)?",
    re.M | re.S,
)
"""A block and its mark; what a block ``text`` right below one without ``$`` shows is printed by its
last command.
"""
MARK = re.compile(r"(slow|fails|(parsed|not run): \S.*)?")
"""What may stand before a block: ``slow`` (run by the slow tests), ``fails`` (ends with status 2),
``parsed`` or ``not run`` with the reason. A parsed block's commands are composed into their
configurations, which are not run.
"""
WRITTEN = {"README": ROOT / "README.md", "CONTRIBUTING": ROOT / "CONTRIBUTING.md"}
MADE = "<!-- Made by"
"""How the pages begin that reports/docs/generate.py writes."""
PAGES = sorted((DOCS / "pages").rglob("*.md"))
WRITTEN |= {path.stem: path for path in PAGES if not path.read_text("utf-8").startswith(MADE)}
SLOW = sorted(
    name for name, path in WRITTEN.items() if "<!-- slow" in path.read_text(encoding="utf-8")
)


def load(path: Path) -> Any:
    """A module that is part of no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATE = load(DOCS / "generate.py")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def same(expected: str, found: str) -> bool:
    return doctest.OutputChecker().check_output(expected, found, FLAGS)


@dataclass
class Session:
    """The blocks of one page share names and a folder."""

    folder: Path
    names: dict[str, Any]

    def python(self, text: str, mark: str) -> None:
        exec(compile(text, "<page>", "exec"), self.names)

    def pycon(self, text: str, mark: str) -> None:
        test = doctest.DocTestParser().get_doctest(text, self.names, "page", None, None)
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        runner.run(test, out=report.append, clear_globs=False)
        self.names.update(test.globs)
        assert not runner.failures, "".join(report)

    def console(self, text: str, mark: str) -> None:
        for command, expected in commands_of(text):
            if mark.startswith("parsed"):
                parse(command)
                continue
            if command.startswith("source "):  # the environment is active
                continue
            if command.startswith(
                "cd "
            ):  # a folder of the checkout, whose files are read; what is written lies here
                shutil.copytree(ROOT / command.removeprefix("cd "), self.folder, dirs_exist_ok=True)
                continue
            before, _, rest = command.partition("harness ")
            assert before in ("", "PYTHONPATH=. "), command
            environment = {**os.environ, "COLUMNS": "96", **({"PYTHONPATH": "."} if before else {})}
            given = process.Given(cwd=self.folder, env=environment, joint=True, drawn=True)
            done = process.harness(*shlex.split(rest, comments=True), **given)
            assert done.returncode == (2 if mark == "fails" else 0), done.stdout
            assert not expected or same(expected, done.stdout), f"$ {command}\n{done.stdout}"


OUTPUT = "\0"
"""What stands between the commands of a block and what is shown below it."""


def commands_of(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block and the output that stands below it; without ``$`` a line is
    a command.
    """
    joined, _, shown = re.sub(r"\\\n *", "", text).partition(OUTPUT)
    if not joined.startswith("$ "):
        *first, last = joined.splitlines()
        yield from ((line, "") for line in first)
        yield last, shown
        return
    for part in re.split(r"^\$ ", joined, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


@functools.cache  # the same lines stand on several pages, in helps and in the gallery
def parse(line: str) -> None:
    """That the command exists and its configuration can be composed; of a target of make, that
    there is one.
    """
    program, *words = shlex.split(line, comments=True)
    if program == "make":
        subprocess.run(["make", "-n", *words], cwd=ROOT, check=True, capture_output=True)
    elif program == "harness":
        command, *arguments = words
        assert command in (*commands(), "--help"), line
        if "--help" in arguments:
            return
        read = CommandLine.read(command, arguments)
        several = read.is_several
        compose(
            read.primary,
            [
                text.split(",")[0] if several and "[" not in text else text
                for text in read.overrides
                if not text.startswith(("hydra/", "hydra."))  # of extras
                and "(" not in text  # a range of a sweeper
            ],
        )
    elif program == "docker":  # the command that the container runs
        if words[0] == "run":
            parse(shlex.join(words[words.index("harness") :]))
    elif program == "source":
        assert words == [".venv/bin/activate"], line
    elif program == "cd":
        assert (ROOT / words[0]).is_dir(), line
    elif program in ("python", "python3"):
        assert words[0] == "-m", line
        assert importlib.util.find_spec(words[1]) is not None, line
    else:
        assert program == "pip", line


def run(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch, slow: bool) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("HARNESS_RUNS", raising=False)
    module = type(sys)("page")  # a class of the page is found by its module and name
    monkeypatch.setitem(sys.modules, "page", module)
    monkeypatch.setattr(extensions, "SEARCHED", [])
    session = Session(folder, vars(module))
    for found in BLOCK.finditer(WRITTEN[page].read_text(encoding="utf-8")):
        mark = found["mark"] or ""
        assert MARK.fullmatch(mark), f"{page}: {mark}"
        if mark.startswith("not run") or (mark == "slow" and not slow):
            continue
        kind = found["kind"]
        assert kind == "console" or not mark.startswith("parsed"), f"{page}: {mark}"
        shown = kind == "console" and found["output"] and not found["text"].startswith("$ ")
        getattr(session, kind)(
            found["text"] + (f"{OUTPUT}{found['output']}" if shown else ""), mark
        )


@pytest.mark.parametrize("page", WRITTEN)
def test_code_on_a_page_does_what_it_says(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(page, tmp_path, monkeypatch, slow=False)
    if page in TUTORIALS and page not in SLOW:
        check_figure(page, tmp_path)


@pytest.mark.slow
def test_the_tutorial_notebook_shows_what_its_cells_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``jupyter execute --inplace`` in reports/docs/examples brings its outputs up to date."""
    nbclient = pytest.importorskip("nbclient", reason="the extra `dev` is not installed")
    import nbformat

    examples = shutil.copytree(DOCS / "examples", tmp_path / "examples")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    shown = nbformat.read(examples / "tutorial.ipynb", as_version=4)
    run = nbformat.from_dict(shown)
    nbclient.NotebookClient(
        run, timeout=600, resources={"metadata": {"path": str(examples)}}
    ).execute()
    printed, written = (
        [cell_outputs(cell) for cell in notebook.cells] for notebook in (run, shown)
    )
    assert printed == written
    assert sum("image/png" in output for cell in written for output in cell) == 1


def cell_outputs(cell: Any) -> list[dict[str, str]]:
    """What a cell shows: not what is logged, nor by which numbers a table is sorted; of a figure,
    that there is one.
    """
    found = [
        output["data"] for output in cell.get("outputs", ()) if output["output_type"] != "stream"
    ]
    return [
        {
            kind: "" if kind.startswith("image/") else re.sub(' data-key="[^"]*"', "", text)
            for kind, text in data.items()
        }
        for data in found
    ]


TUTORIALS = {
    "tutorial-benchmarks": ("benchmarks", "reports/figures/sample-minilm-last_hop-5/alpha.png"),
}
"""The figure that a tutorial shows, ``tutorial/<name>.png``, and the file that its commands make.
"""


def check_figure(page: str, folder: Path) -> None:
    """That the figure of a tutorial is the one that its commands made."""
    import matplotlib.image

    name, file = TUTORIALS[page]
    shown = DOCS / "pages" / "tutorial" / f"{name}.png"
    drawn, made = (matplotlib.image.imread(path) for path in (shown, folder / file))
    assert drawn.shape == made.shape
    assert abs(drawn - made).mean() < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("page", SLOW)
def test_slow_code_on_a_page_does_what_it_says(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(page, tmp_path, monkeypatch, slow=True)
    if page in TUTORIALS:
        check_figure(page, tmp_path)


def examples() -> Iterator[str]:
    """The example lines of every ``--help``; two spaces end a command."""
    for name in commands():
        for line in documentation(name).splitlines():
            if line.strip().startswith("harness "):
                yield re.split(r"\s{2,}", line.strip())[0]


@pytest.mark.parametrize("line", list(examples()))
def test_an_example_of_a_help_text_can_be_composed(line: str) -> None:
    parse(line)


@pytest.mark.parametrize(
    "name", ["sweep", "heldout", "report", "ui", "fuse", "evaluate", "compare"]
)
def test_a_help_text_is_read_at_once(name: str, tmp_path: Path) -> None:
    """At most 40 lines of 80 columns stand before the keys."""
    lines = process.harness(name, "--help", cwd=tmp_path).stdout.splitlines()
    assert lines.index("Keys and their defaults:") <= 40


def test_a_user_reads_few_short_pages() -> None:
    """What was tried and how it ended is the notebook, out of their way; no two pages have one
    name.
    """
    words = {}
    for folder in ("", "reference"):
        for path in (DOCS / "pages" / folder).glob("*.md"):
            text = path.read_text(encoding="utf-8")
            if text.startswith(MADE):
                continue
            assert not re.search(r"^\[\[\w+\]\]$", text, re.M), "the page is what a reader sees"
            shown = re.search(r"!\[|^\|[ :]*-", text, re.M)
            assert shown, f"{path.stem} shows neither a figure nor a table"
            written = re.sub(r"(?s)<!-- \w+ -->.*?<!-- end -->", "", text)
            words[path.stem] = len(written.split())
    assert max(words.values()) <= 1200, words
    assert sum(words.values()) <= 15_500


def test_the_menu_has_sixteen_pages_and_what_is_looked_up_is_closed() -> None:
    """A heading of the menu holds pages; in the last one, entries that open when they are
    chosen.
    """
    text = (DOCS / "mkdocs.yml").read_text(encoding="utf-8")
    menu = yaml.safe_load(text[text.index("\nnav:\n") : text.index("\nextra:\n")])["nav"]
    *open_, (last,) = [list(part.values()) for part in menu]
    pages = [page for (part,) in open_ for page in part]
    assert sorted(pages) == sorted(path.name for path in (DOCS / "pages").glob("*.md"))
    assert len(pages) <= 16
    assert [name for entry in last for name in entry] == ["Look up", "Plug-ins", "Lab notebook"]


def test_the_number_of_trials_on_a_page_is_that_of_the_default_grid() -> None:
    found = {
        number
        for page in ("README", "index", "protocol", "tutorial-benchmarks")
        for number in re.findall(r"(\d+) (?:trials|fusions)", WRITTEN[page].read_text("utf-8"))
    }
    fusions, singles = GENERATE.trials([])
    assert found == {str(fusions + singles)}


def test_the_plan_for_a_large_corpus_follows_from_its_rates() -> None:
    table = (
        WRITTEN["compute"]
        .read_text(encoding="utf-8")
        .partition("## A plan")[2]
        .partition("\n\nLeft out")[0]
    )
    rows = re.findall(r"^\| [a-zB][^|]*\|[^|]*\| (\d.*?) \| (\d.*?) \|$", table, re.M)
    for column, (millions, nodes), total in ((0, (5, 1), 30), (1, (21, 8), 65)):
        large = millions / 5.23
        encoded = [1e6 * millions / 9_300 / nodes, 2e6 * millions / 45_000 / nodes]
        by_cores = [1e6 * millions / 556 / 16 / nodes, 75 * (2 * millions) ** 1.5 / 8]
        alone = 2 / 1.48 - 1  # the part that one of two processors does by itself, by Amdahl's law
        counted = 386 * large * (alone + (1 - alone) / 16)
        seconds = [*encoded, *by_cores, counted, 430 * large / 8 / nodes, 0.7 * millions / nodes]
        assert [row[column] for row in rows] == [f"{one / 60:.1f}" for one in seconds]
        assert round(sum(seconds) / 60) == total
        assert str(total) in table


def test_every_help_text_has_an_example() -> None:
    shown = {line.split()[1] for line in examples()}
    assert shown == set(commands())


def test_no_console_or_python_block_is_indented_out_of_sight() -> None:
    for page, path in WRITTEN.items():
        text = path.read_text(encoding="utf-8")
        assert len(re.findall(r"```(?:python|pycon|console)\b", text)) == len(
            list(BLOCK.finditer(text))
        ), page


def test_the_readme_is_short_and_its_links_lead_somewhere() -> None:
    text = WRITTEN["README"].read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 90
    assert max(map(len, text.splitlines())) <= 125
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert (ROOT / link).exists(), link


def test_the_readme_is_typed_from_its_first_line_to_its_last_in_a_shell_where_nothing_was_activated(
    tmp_path: Path,
) -> None:
    """A real shell in a copy of the checkout; its environment is this one's, and nothing is
    installed or swept.
    """
    (tmp_path / ".venv").mkdir()
    for name in ("bin", "lib", "pyvenv.cfg"):
        (tmp_path / ".venv" / name).symlink_to(Path(sys.prefix) / name)
    shutil.copytree(
        ROOT / "reports" / "docs" / "examples", tmp_path / "reports" / "docs" / "examples"
    )
    text = WRITTEN["README"].read_text(encoding="utf-8")
    blocks = [
        (found["text"], found["output"])
        for found in BLOCK.finditer(text)
        if found["kind"] == "console" and not (found["mark"] or "").startswith("parsed")
    ]
    typed = [line for block, _ in blocks for line in block.splitlines()]
    long = ("make ", "harness sweep", "harness heldout")
    script = [f"{line} || exit 3" for line in typed if not line.startswith(long)]
    programs = {line.split()[0] for page in WRITTEN for line in typed_on(page)} - {
        "docker",
        "make",
        "source",
        "PYTHONPATH=.",
    }
    script += [
        f"command -v {program} >/dev/null || {{ echo no {program}; exit 4; }}"
        for program in sorted(programs)
    ]
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", "\n".join(script)],
        cwd=tmp_path,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (shown,) = [output for _, output in blocks if output]
    assert same(f"...\n{shown}", done.stdout), done.stdout


def typed_on(page: str) -> Iterator[str]:
    """The commands of a page's console blocks."""
    for found in BLOCK.finditer(WRITTEN[page].read_text(encoding="utf-8")):
        if found["kind"] == "console":
            yield from (command for command, _ in commands_of(found["text"]) if command.strip())


@pytest.mark.slow
def test_a_score_goes_the_way_that_the_page_shows(overrides: list[str], tmp_path: Path) -> None:
    """A sweep and a report, run here, enter the files of architecture.md in its order; at
    most 25.
    """
    page = (
        WRITTEN["architecture"].read_text(encoding="utf-8").partition("## The way of one score")[2]
    )
    listed = re.findall(r"^\| `([\w/]+\.py)` \|", page.partition("\n## ")[0], re.M)
    script = Path(__file__).with_name("entered.py")
    sweep, report = (
        subprocess.run(
            [sys.executable, script, *arguments], capture_output=True, text=True, cwd=tmp_path
        )
        for arguments in (
            ["sweep", "grid=point", *overrides],
            ["report", f"paths.runs={tmp_path / 'runs'}", f"paths.reports={tmp_path / 'reports'}"],
        )
    )
    assert sweep.returncode == report.returncode == 0, sweep.stderr + report.stderr
    first, second = (json.loads(done.stdout.splitlines()[-1]) for done in (sweep, report))
    cut = listed.index("command/report.py")
    assert len(listed) <= 25
    assert [name for name in first if name in listed[:cut]] == listed[:cut]
    assert [name for name in second if name in listed[cut:]] == listed[cut:]


def public() -> Iterator[tuple[str, Any]]:
    """Every public function and class of the package, and their public methods, by full name."""
    for info in pkgutil.walk_packages(harness.__path__, "harness."):
        if info.name.rpartition(".")[2].startswith("_"):
            continue
        module = importlib.import_module(info.name)
        yield info.name, module
        for name, thing in vars(module).items():
            thing = getattr(thing, "py_func", thing)
            plain = inspect.isclass(thing) or inspect.isfunction(thing)
            if plain and not name.startswith("_") and thing.__module__ == info.name:
                yield f"{info.name}.{name}", thing


def test_every_public_name_says_what_it_is() -> None:
    silent = [name for name, thing in public() if not (inspect.getdoc(thing) or "").strip()]
    assert not silent, "\n".join(silent)


def exported() -> Iterator[tuple[str, Any]]:
    """The functions of harness.__all__ and the public methods of its classes, by name."""
    for name in harness.__all__:
        thing = getattr(harness, name)
        if not inspect.isclass(thing):
            yield name, inspect.unwrap(thing)
        for inner, method in vars(thing).items() if inspect.isclass(thing) else ():
            function = getattr(method, "__func__", method)
            if not inner.startswith("_") and inspect.isfunction(function):
                yield f"{name}.{inner}", function


@pytest.mark.parametrize(("name", "function"), list(exported()))
def test_what_a_user_calls_says_what_it_takes_gives_and_raises(name: str, function: Any) -> None:
    """In Google's form, each parameter once and in order; what takes only itself needs one line."""
    text = inspect.getdoc(function) or ""
    taken = [one for one in inspect.signature(function).parameters if one not in ("self", "cls")]
    arguments = re.search(r"^Args:\n((?:    .*\n?)+)", text, re.MULTILINE)
    assert re.findall(r"^    (\w+): ", arguments[1] if arguments else "", re.MULTILINE) == taken
    gives = function.__annotations__.get("return") not in (None, "None")
    assert bool(re.search(r"^Returns:\n    \S", text, re.MULTILINE)) == (gives and bool(taken))


TENSORS = re.compile(r"\b(Tensor|NDArray|ndarray|(Float|Int)\d+Array|BoolArray)\b")
SHAPE = re.compile(r"(?:float|int|bool|tensor )\d*\[[^\]]+\]", re.I)


def test_public_functions_of_arrays_say_their_shapes() -> None:
    """In their own docstring, or in that of their class or module."""
    silent = []
    for name, thing in public():
        if not inspect.isfunction(thing) or not TENSORS.search(
            str(thing.__annotations__.get("return", ""))
        ):
            continue
        texts = [
            inspect.getdoc(thing) or "",
            importlib.import_module(thing.__module__).__doc__ or "",
        ]
        if not any(SHAPE.search(text) for text in texts):
            silent.append(name)
    assert not silent, "\n".join(silent)


def test_every_strategy_names_its_source_or_formula() -> None:
    """A strategy's docstring has a formula (an equals sign or arrow) or names where it
    comes from.
    """
    silent = []
    for concept in ("normalizer", "temperature", "fuser"):
        for path in sorted((ROOT / "harness" / "fusion" / concept).glob("[a-z]*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            if not (ROOT / "conf" / concept / path.name).with_suffix(".yaml").is_file():
                continue
            texts = [
                ast.get_docstring(node) or ""
                for node in [tree, *tree.body]
                if isinstance(node, (ast.Module, ast.ClassDef))
            ]
            if not re.search(r"=|\((PG|ADR|PhaseGraph|DICE)", " ".join(texts)):
                silent.append(str(path))
    assert not silent, "\n".join(silent)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation, built strictly."""
    pytest.importorskip("mkdocs", reason="the extra `docs` is not installed")
    folder = tmp_path_factory.mktemp("documentation")
    command = [
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "-q",
        "-f",
        str(DOCS / "mkdocs.yml"),
        "-d",
        str(folder),
    ]
    done = process.python(*command, cwd=DOCS)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_documentation_needs_nothing_from_elsewhere(pages: Path) -> None:
    for page in pages.rglob("*.html"):
        assert not re.search(
            r'(src|href)="(https?:)?//[^"]*\.(js|css|woff2?)"', page.read_text(encoding="utf-8")
        ), page


def test_every_link_leads_to_a_page_and_a_place_that_are_there(pages: Path) -> None:
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in pages.rglob("*.html")
        if path.name != "404.html"
    }
    places = {
        path: set(re.findall(r'\b(?:id|name)="([^"]+)"', text)) for path, text in texts.items()
    }
    for path, text in texts.items():
        for link in re.findall(r'(?:href|src)="(?!\w+:)([^"]+)"', text):
            name, _, place = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            assert target.exists(), f"{path.name}: {link}"
            assert not place or target not in places or unescape(place) in places[target], (
                f"{path.name}: {link}"
            )


def test_the_first_use_of_a_word_leads_to_the_glossary(pages: Path) -> None:
    """Once a page, to a row that is there, with what the row says; not in code, headings or other
    links.
    """
    rows = re.findall(
        r'<tr id="([^"]+)">\n<td>',
        (pages / "reference" / "glossary.html").read_text(encoding="utf-8"),
    )
    assert len(set(rows)) == len(rows) > 40
    text = (pages / "protocol.html").read_text(encoding="utf-8")
    linked = re.findall(
        r'<a class="word" href="reference/glossary.html#([^"]+)" title="([^"]+)">([^<]+)</a>', text
    )
    assert {anchor for anchor, _, _ in linked} <= set(rows)
    assert ("trial", "one configuration, scored on one split", "trials") in linked
    assert len({anchor for anchor, _, _ in linked}) == len(linked)


def test_formulas_are_shown_by_the_browser_itself(pages: Path) -> None:
    """Those of docstrings and those of blocks ``math``; MathML needs no script and no fonts."""
    strategies, statistics = (
        (pages / f"{name}.html").read_text(encoding="utf-8")
        for name in ("reference/strategies", "statistics")
    )
    for kind in ("boltzmann", "linear", "power_mean", "tsallis", "rrf", "quantum", "learned"):
        part = strategies.partition(f'id="fuser-{kind}"')[2].partition("<h3")[0]
        assert "<math" in part, kind
    assert statistics.count('display="block"') == 3
    assert "\x02" not in strategies


def test_plain_formulas_as_latex_by_hand() -> None:
    formula = load(DOCS / "formula.py")
    for text, latex in (
        ("T = T0 (1 + gamma W1), W1 the distance.", r"T = T_{0} \, (1 + \gamma \, W_{1})"),
        (
            "P_i = exp(-E_i / T) / sum_j x_j, over all.",
            r"P_{i} = \frac{\mathrm{exp}\left(- \frac{E_{i}}{T}\right)}{\sum_{j} x_{j}}",
        ),
        ("s = a [d in both] + b^(1 / 2).", r"s = a \, [d \in \text{both}] + {b}^{\frac{1}{2}}"),
        ("t = a x b; more.", r"t = a \times b"),
    ):
        assert [found[2] for found in formula.formulas(text)] == [latex]
    for prose in (
        "score(d) = that of the named list.",
        "p = the chance that it rains",
        "alpha: dense's share, in [0, 1].",
    ):
        assert formula.formulas(prose) == []


def test_the_gallery_has_every_figure_and_commands_that_are_there() -> None:
    gallery = load(DOCS / "gallery.py")
    assert sorted(gallery.COMMANDS) == sorted(gallery.drawn())
    for command in (line for lines in gallery.COMMANDS.values() for line in lines):
        parse(command)
    assert all(gallery.pictures(name) for name in gallery.COMMANDS)
    shown = {file for name in gallery.COMMANDS for file in gallery.pictures(name)}
    there = {f"../figures/{path.name}" for path in (DOCS / "pages" / "figures").glob("*.png")}
    readme = WRITTEN["README"].read_text(encoding="utf-8")
    assert there <= shown | {f"../figures/{name}" for name in re.findall(r"/(\w+\.png)", readme)}


def test_the_pages_that_are_made_are_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    """`make docs` writes them; a page that is stale is named."""
    assert GENERATE.main(["--check"]) == 0, capsys.readouterr().out


PAPERS_PAGE = importlib.import_module("papers")
PAPERS = PAPERS_PAGE.paper_items()
OTHER_DATA = re.compile(r" dataset=(\w+)$")
ON_OTHER_DATA = {OTHER_DATA.sub("", item["command"]): item["command"] for item in PAPERS}
"""A command of each kind on the papers' page: one of those that differ by the benchmark alone."""


@pytest.mark.parametrize(
    "command", sorted(ON_OTHER_DATA.values()), ids=lambda line: re.sub(r"\W+", "-", line)
)
def test_a_command_of_the_papers_page_is_composed(command: str) -> None:
    parse(command)


def test_the_benchmarks_of_the_papers_page_can_be_typed() -> None:
    typed = {name for item in PAPERS for name in OTHER_DATA.findall(item["command"])}
    assert typed <= {*names("dataset")}


@pytest.mark.parametrize(
    "item", [item for item in PAPERS if "at" in item], ids=lambda item: item["item"]
)
def test_our_values_on_the_papers_page_stand_on_the_page_that_is_named(item: Any) -> None:
    text = " ".join((DOCS / "pages" / item["at"]).read_text(encoding="utf-8").split())
    for row in item["rows"]:
        found = [f"{row['ours']:.1f}"] if "ours" in row else []
        given = row.get("gives", "")
        found += re.findall(r"[\d.]*\d/\d+|(?<![\d/])[+−]?[\d.]+(?![\d/])", given)
        for value in found:
            assert re.search(rf"(?<![\d.]){re.escape(value.rstrip('.'))}(?!\d)", text), (row, value)


def test_a_row_of_the_papers_page_has_a_difference_only_if_both_sides_are_of_the_same() -> None:
    """Benchmark, split and metric: ``NAME, SPLIT, METRIC`` of the published value, and of ours,
    which also names its sweep.
    """
    text = (DOCS / "pages" / "papers.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    values = [row for row in rows if len(row) == 8 and row[1] not in ("row", "---")]
    judged = [row for row in values if row[6] != "–"]
    assert len(values) > 80
    assert len(judged) > 5
    for _, label, _, theirs, _, ours, _, _ in values:
        assert len(theirs.split(", ")) >= 3, label
        assert "; " in ours, label
    for _, label, _, theirs, _, ours, difference, _ in judged:
        assert theirs == ours.partition("; ")[0], (label, difference)


def test_a_stored_row_of_the_papers_page_is_of_the_benchmark_of_its_table() -> None:
    item = {"stored": "musique_804_3fa182ed/phasegraph_table_3", "item": "Table 3"}
    row = {"row": "vector only", "stored": "vector only", "published": 58.1, "of": 500}
    same = ["musique_804_3fa182ed", "test", "last_hop@10"]
    for place, other in ((None, ""), (0, "2wikimultihopqa_1000"), (1, "tune"), (2, "recall@5")):
        theirs = [other if at == place else value for at, value in enumerate(same)]
        cells = PAPERS_PAGE.value_cells({**row, "theirs": theirs}, item, {})
        assert cells[5].startswith(", ".join(same))
        assert (cells[6] == "–", "another" in cells[7]) == (place is not None,) * 2


def test_the_sweeps_of_the_papers_page_are_those_of_its_stored_tables() -> None:
    """Minutes are what a sweep's manifest recorded: ``seconds`` of sweeps.csv."""
    stored = ROOT / "reports" / "showcase" / "papers"
    used = {
        PAPERS_PAGE.sweep_of(f"{path.parent.name}/{path.stem}")["sweep"]
        for path in stored.glob("*/*.csv")
    }
    listed = {sweep["sweep"]: sweep for sweep in PAPERS_PAGE.read_lines("sweeps")}
    assert used == set(listed)
    text = (DOCS / "pages" / "papers.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    shown = {row[8].strip("`"): float(row[6]) for row in rows if row[-1].strip("`") in listed}
    assert shown == {
        name: pytest.approx(float(sweep["seconds"]) / 60, abs=0.051)
        for name, sweep in listed.items()
    }


def test_a_row_counts_outcomes_and_changes_as_the_papers_do() -> None:
    """PhaseGraph's Figure 1 (491 questions, 263 found, 11 won, 2 lost); PolicyRAG's Table 4."""
    figure = {"n": "491", "W": "11", "L": "2", "last_hop@5 (share)": str(263 / 491)}
    assert PAPERS_PAGE.outcomes(figure, [], {}) == "252 / 226 / 11 / 2"
    policy = {"row": "policy", "split": "test", "recall@5 (share)": "0.981"}
    names = {"row": "NER to node", "split": "test", "recall@5 (share)": "0.989"}
    row = {"less": "policy"}
    assert PAPERS_PAGE.change(names, [policy, names], row, "recall@5") == "+0.8"
    assert PAPERS_PAGE.change(policy, [policy, names], row, "recall@5") == "0"


def test_every_formula_of_the_papers_has_a_test_and_can_be_typed() -> None:
    papers = yaml.safe_load((DOCS / "papers.yaml").read_text(encoding="utf-8"))["papers"]
    for formula in (one for paper in papers for one in paper["formulas"]):
        assert (ROOT / "tests" / formula["test"]).is_file(), formula
        key, _, name = formula["override"].partition(" ")[0].lstrip("+").partition("=")
        assert name in [*names(key.partition("@")[0]), "null"], formula


def headings(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and MkDocs make them."""
    lines = re.findall(r"^#+ (.+)$", re.sub(r"```.*?^```", "", text, flags=re.M | re.S), re.M)
    stated = {found for line in lines for found in re.findall(r"\{ ?#([\w-]+) ?\}", line)}
    plain = (re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines)
    return stated | set(plain)


@pytest.mark.parametrize("path", [*PAGES, *ROOT.glob("*.md")], ids=lambda path: path.name)
def test_every_relative_link_and_picture_resolves_in_a_clone(path: Path) -> None:
    text = re.sub(r"```.*?^```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"\w+:", link):
            continue
        name, _, place = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), link
        if place and target.suffix == ".md" and target.name != "glossary.md":
            assert place in headings(target.read_text(encoding="utf-8")), link


def test_the_site_says_the_version(pages: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (pages / "index.html").read_text(encoding="utf-8")
    assert f"Multi-hop harness {project['version']}" in text
