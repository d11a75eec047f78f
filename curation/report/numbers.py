"""Numbers as people read them: three digits and a unit letter in sight, the exact figure one hover away."""

from __future__ import annotations

DASH = "\u2013"
_UNITS = ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "k"))


def exact(number: float | None) -> str:
    """Thousands separators, no rounding of integers; a dash where there is no number.

    >>> exact(1234567)
    '1,234,567'
    """
    if number is None:
        return DASH
    return f"{number:,}" if isinstance(number, int) else f"{number:,.4g}"


def short(number: float | None) -> str:
    """Exact below 10,000; above, three significant digits with k, M, B (1e9) or T (1e12).

    >>> short(9999), short(12_345), short(999_999), short(-1_234_567)
    ('9,999', '12.3 k', '1.00 M', '-1.23 M')
    """
    if number is None:
        return DASH
    if abs(number) < 10_000:
        return exact(number)
    for size, letter in _UNITS:
        digits = abs(number) / size
        if digits >= 0.9995:  # what rounds to 1.00 already takes the larger unit
            places = 2 if digits < 9.995 else 1 if digits < 99.95 else 0
            return f"{'-' if number < 0 else ''}{digits:,.{places}f} {letter}"
    raise AssertionError("unreachable: 10,000 is more than a thousand")


def percent(part: float, whole: float) -> str:
    """Share with one decimal. Only the whole is 100 %, and only nothing is 0 %: rounding never hides a rest.

    >>> percent(1, 3), percent(99_999, 100_000), percent(1, 100_000), percent(0, 0)
    ('33.3 %', '> 99.9 %', '< 0.1 %', '\u2013')
    """
    if not whole:
        return DASH
    share = 100 * part / whole
    if share != 0 and abs(share) < 0.1:
        return "< 0.1 %" if share > 0 else "> -0.1 %"
    if part < whole and share > 99.9:
        return "> 99.9 %"
    return f"{share:.1f} %"


def fixed(number: float | None, places: int = 2) -> str:
    """A number with a fixed count of decimals, so that a column of them is level.

    >>> fixed(4.5), fixed(1234.567, 1), fixed(None)
    ('4.50', '1,234.6', '\u2013')
    """
    return DASH if number is None else f"{number:,.{places}f}"


def file_size(size: int) -> str:
    """Bytes in decimal units, as disks and clouds count them.

    >>> file_size(512), file_size(1_250_000_000)
    ('512 B', '1.25 GB')
    """
    if size < 1000:
        return f"{size} B"
    scaled = ((size / 1000**power, unit) for power, unit in enumerate(("kB", "MB", "GB", "TB", "PB"), start=1))
    number, unit = next((n, unit) for n, unit in scaled if n < 999.5 or unit == "PB")
    return f"{number:.3g} {unit}"


def duration(seconds: float | None) -> str:
    """Seconds in the two largest units that matter.

    >>> duration(0.42), duration(75), duration(7322)
    ('0.4 s', '1 min 15 s', '2 h 2 min')
    """
    if seconds is None:
        return DASH
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
