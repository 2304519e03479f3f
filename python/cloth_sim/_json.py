"""Values of Python as JSON."""

import json
import math
from typing import Any

from cloth_sim._core import Error


def _plain(value: Any, path: str) -> Any:
    """The value of the field `path` without what JSON does not know: arrays and numbers of numpy."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: _plain(item, f"{path}.{key}".lstrip(".")) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}[{at}]") for at, item in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise Error(f"{path}: {value} is not finite\n  help: give a finite number")
    if value is None or isinstance(value, (str, int, float)):
        return value
    kind = type(value).__name__
    remedy = "give numbers, texts, lists, dictionaries or arrays of numpy"
    raise Error(f"{path}: {kind} is no value of a scene\n  help: {remedy}")


def dumps(value: Any, path: str) -> str:
    return json.dumps(_plain(value, path), allow_nan=False)
