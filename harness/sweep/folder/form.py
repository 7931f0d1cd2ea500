"""The form of what a sweep's folder holds as JSON: which keys, and which values under them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

NUMBER = (int, float)
"""A finite number; a truth value is none."""


def misfit(value: Any, form: Any, place: str = "") -> str | None:
    """The first value that is not of its form, as ``coverage.dense = 3, expected a mapping``; None where all are.

    form: a type or several of them (None among them as ``type(None)``); ``[form]``, a list of such values;
    ``{key: form}``, a mapping, in which a key that ends with ``?`` may be missing or null; ``*`` stands for any key.
    """
    if isinstance(form, list):
        if not isinstance(value, list):
            return _told(place, value, "a list")
        parts = ((str(number), item, form[0]) for number, item in enumerate(value))
    elif isinstance(form, dict):
        if not isinstance(value, Mapping):
            return _told(place, value, "a mapping")
        if missing := [key for key in form if not key.endswith("?") and key not in ("*", *value)]:
            return f"{'.'.join(filter(None, (place, missing[0])))} is missing"
        parts = (
            (str(name), value[name], inner)
            for key, inner in form.items()
            for name in (value if key == "*" else [key.rstrip("?")])
            if not (key.endswith("?") and value.get(name) is None)
        )
    else:
        kinds = form if isinstance(form, tuple) else (form,)
        fits = isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
        finite = not isinstance(value, float) or math.isfinite(value)
        return None if fits and finite else _told(place, value, " or ".join(kind.__name__ for kind in kinds))
    told = (misfit(item, inner, ".".join(filter(None, (place, name)))) for name, item, inner in parts)
    return next(filter(None, told), None)


def _told(place: str, value: Any, expected: str) -> str:
    return f"{place} = {str(value)[:40]!r}, expected {expected}"
