"""Values of Python as JSON."""

import json
from typing import Any


def _plain(value: Any) -> Any:
    """What JSON does not know: arrays and numbers of numpy."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is no value of a scene")


def dumps(value: Any) -> str:
    return json.dumps(value, default=_plain, allow_nan=False)
