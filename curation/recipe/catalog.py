"""What a recipe may name: for each verb the functions it can call, and the settings each of them takes.

The keyword-only signature of a function is the schema of its settings: names, types and defaults are read off it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, get_args, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError

from curation.errors import did_you_mean

COLUMNS = ("language", "language_score", "url", "host", "date", "source", "snapshot", "chars")
SCORES = "scores."  # `scores.NAME` is the score that an annotation wrote into NAME
NUMBERS = ("language_score", "chars")  # columns that `measure` can store
VERBS = ("extract", "annotate", "measure", "keep_if", "rewrite", "corpus", "decontaminate")


@cache
def functions(verb: str) -> Mapping[str, Callable]:
    """Functions a verb may name: `engine` for extract and corpus, `module.function` for the others."""
    if verb == "extract":
        from curation.extract import engines

        return {"trafilatura": engines.trafilatura, "resiliparse": engines.resiliparse}
    if verb == "corpus":
        from curation.dedup import duplicates, repeats
        from curation.score.top_fraction import top_fraction

        return {
            "minhash": duplicates.minhash,
            "exact": duplicates.exact,
            "lines": repeats.lines,
            "paragraphs": repeats.paragraphs,
            "sentence_spans": repeats.sentence_spans,
            "substrings": repeats.substrings,
            "top_fraction": top_fraction,
        }
    if verb == "decontaminate":
        from curation.decontaminate import stages

        return {mode.__name__: mode for mode in (stages.gpt3, stages.ngram_drop, stages.coverage, stages.paragraph)}
    if verb == "annotate":
        from curation.score import language, quality, transformer

        return {
            "language.fasttext": language.fasttext,
            "quality.fasttext": quality.fasttext,
            "quality.huggingface": transformer.huggingface,
            "quality.linear": transformer.linear,
        }
    if verb == "rewrite":
        from curation.rewrite import c4, pii, refinedweb, symbols, unicode

        return {
            "c4.page": c4.page,
            "pii.mask": pii.mask,
            "refinedweb.cut_addresses": refinedweb.cut_addresses,
            "refinedweb.fold_newlines": refinedweb.fold_newlines,
            "refinedweb.lines": refinedweb.lines,
            "symbols.break_lines": symbols.break_lines,
            "unicode.clean": unicode.clean,
            "unicode.repair": unicode.repair,
        }
    return {
        f"{m.__name__.rpartition('.')[2]}.{name}": getattr(m, name) for m in measure_modules() for name in m.__all__
    }


@cache
def measure_modules() -> tuple[ModuleType, ...]:
    """The modules whose `__all__` a recipe may name in `keep_if` and `measure`."""
    names = (
        "gopher_quality gopher_repetition fineweb c4 characters html llama3 nemo data_juicer redpajama repeats "
        "url safety opt_out"
    )
    return tuple(import_module(f"curation.rules.{name}") for name in names.split())


@dataclass(frozen=True)
class Setting:
    """One keyword-only parameter of a function: its type and default (`inspect.Parameter.empty` = must be given)."""

    name: str
    type: Any
    default: Any


@cache
def settings_of(function: Callable) -> Mapping[str, Setting]:
    """The settings of a function, from its keyword-only parameters. `name` belongs to the stage and is left out."""
    hints = get_type_hints(function)
    return {
        p.name: Setting(p.name, hints.get(p.name, Any), p.default)
        for p in inspect.signature(function).parameters.values()
        if p.kind is p.KEYWORD_ONLY and p.name != "name"
    }


def values_of(function: Callable) -> int:
    """How many values an annotation gives for each page: read off its return type, `list[tuple[str, float]]`."""
    (row,) = get_args(get_type_hints(function)["return"])
    return len(get_args(row))


def read_settings(
    where: str, function: Callable, given: Mapping[str, Any], mistakes: list[str], also: Sequence[str] = ()
) -> dict[str, Any]:
    """The settings given, checked against the signature; each mistake becomes a sentence in `mistakes`.

    `also` = keys that may stand there besides settings, for the suggestion.
    """
    known = settings_of(function)
    checked = {}
    for key, value in given.items():
        if key not in known:
            mistakes.append(f"{where}: unknown setting '{key}'; {did_you_mean(str(key), [*known, *also])}")
            continue
        problem, read = read_value(known[key].type, value)
        if problem:
            mistakes.append(f"{where}: setting '{key}' is {value!r}; {problem}")
        else:
            checked[key] = read
    for setting in known.values():
        if setting.default is inspect.Parameter.empty and setting.name not in given:
            mistakes.append(f"{where}: setting '{setting.name}' is missing")
    return checked


def read_value(kind: Any, value: Any) -> tuple[str | None, Any]:
    """(problem or None, value as the function wants it). Strict, except that a list serves as a tuple."""
    trap = yaml_trap(kind, value)
    if trap:
        return trap, None
    try:
        return None, TypeAdapter(kind, config=ConfigDict(strict=False)).validate_python(_no_coercion(value))
    except ValidationError as error:
        told = "; ".join(e["msg"][0].lower() + e["msg"][1:] for e in error.errors(include_url=False))
        return told.replace("a valid tuple", "a list, such as [a, b]"), None


def _no_coercion(value: Any) -> Any:
    # pydantic's lax mode would read the text "5" as a number; a list as a tuple is the only reading wanted.
    return tuple(value) if isinstance(value, list) else value


def yaml_trap(kind: Any, value: Any) -> str | None:
    """A sentence where YAML 1.1 read something else than was meant; None where it did not.

    >>> yaml_trap(float, "1e-4")
    'YAML reads 1e-4 as text; write 1.0e-4'
    >>> yaml_trap(tuple[str, ...], ["en", False])
    'YAML reads an unquoted no as false; write "no" in quotes'
    """
    values = value if isinstance(value, (list, tuple)) else [value]
    text = repr(kind)
    wants_number = ("int" in text or "float" in text) and "str" not in text
    for one in values:
        if isinstance(one, bool) and "bool" not in text and kind is not Any:
            word = "yes or on" if one else "no"
            return f'YAML reads an unquoted {word} as {str(one).lower()}; write "{word.split()[0]}" in quotes'
        if isinstance(one, str) and wants_number:
            number = _number(one)
            if number is not None:
                return f"YAML reads {one} as text; write {number}"
    return None


def _number(text: str) -> str | None:
    try:
        value = float(text)
    except ValueError:
        return None
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    mantissa, e, exponent = text.lower().partition("e")
    return f"{mantissa}.0e{exponent}" if e and "." not in mantissa else text.lower()
