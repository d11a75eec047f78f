"""The pages: links lead somewhere, commands and their options exist, names of recipes and tests are real."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer

from curation.cli import app
from curation.recipe.load import recipe_names

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")])
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
COMMAND = re.compile(r"(?:^|[ `(])(?:\.venv/bin/)?(curate [a-z][^`\n]*)", re.MULTILINE)
TWIN = re.compile(r"(?<=jobs/)([a-z_]+)\.py ([^`\n]*)")
GROUP = typer.main.get_command(app)


def anchors(page: Path) -> set[str]:
    """GitHub's anchors of the headings of a page."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def broken_links(page: Path) -> list[str]:
    broken = []
    for target in LINK.findall(page.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    return broken


def wrong_in(command: str) -> list[str]:
    """What a command names that there is not: itself, or an option."""
    words = shlex.split(
        re.split(r"\s#(?!\S)|\s#\s| \| |; |`", command.replace("...", " "), maxsplit=1)[0], comments=False
    )
    found, words = GROUP, words[1:]
    while hasattr(found, "commands") and words:
        found = found.commands.get(words.pop(0))
    if found is None or hasattr(found, "commands"):
        return [command]
    known = {option for one in found.params for option in (*one.opts, *one.secondary_opts)} | {"--help"}
    return [word for word in words if word.startswith("--") and word.partition("=")[0] not in known]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_commands_of_a_page(page):
    assert broken_links(page) == []
    text = page.read_text().replace("\\\n", " ")
    commands = COMMAND.findall(text) + [f"curate {name.replace('_', '-')} {rest}" for name, rest in TWIN.findall(text)]
    assert {command: wrong for command in commands if (wrong := wrong_in(command))} == {}


def test_the_checks_would_find_what_is_wrong(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A `code` head\n[a](#a-code-head) [b](#b) [c](none.md) [d](https://x.example/none)\n")
    assert broken_links(page) == ["#b", "none.md"]
    assert wrong_in("curate run fineweb --inputs x --set a=b") == ["--inputs"]
    assert wrong_in("curate rum fineweb") == ["curate rum fineweb"]
    assert wrong_in("curate mix solve llama1 --budget=1 # --none") == []


def test_the_readme_names_every_recipe_and_folder():
    readme = (ROOT / "README.md").read_text()
    named = set(re.findall(r"`(\w+)`", readme[readme.index("Shipped:") : readme.index("docs/recipes.md]")]))
    assert named == set(recipe_names()) - {"dedup"}
    tree = set(re.findall(r"^      ([a-z_]+)/", readme, re.MULTILINE))
    assert tree == {path.parent.name for path in (ROOT / "curation").glob("*/__init__.py")}
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    linked = {Path(target).name for page in PAGES for target in re.findall(r"[\w./-]+\.md", page.read_text())}
    assert pages <= linked
