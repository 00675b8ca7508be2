"""Work that the command does in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from typing import Any


def flags(options: dict[str, Any]) -> Iterable[str]:
    """Return keyword arguments as flags: None and False are left out, True has no value, a list repeats its flag."""
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            yield flag
        else:
            for item in value if isinstance(value, (list, tuple)) else [value]:
                yield f"{flag}={item}"


def run(*arguments: object) -> str:
    """Run the command and return what it prints. Raises ValueError if it refuses its arguments, else RuntimeError."""
    command = [sys.executable, "-m", "truename", *map(str, arguments)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
    if done.returncode == 0:
        return done.stdout
    lines = done.stderr.strip().splitlines()
    message = [line for line in lines if not line.startswith(("hint:", "tip:"))]
    kind = ValueError if done.returncode == 2 else RuntimeError
    error = kind("\n".join(message).removeprefix("error: ") or f"the command ended with {done.returncode}")
    error.__notes__ = [line for line in lines if line.startswith(("hint:", "tip:"))]
    raise error
