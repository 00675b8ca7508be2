"""The bar of long work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def bar() -> Callable[[str, int, int], None]:
    """Return a function that draws a bar for each phase of the work; one that does nothing where `tqdm` is not installed."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return lambda phase, done, total: None
    return _Bar(tqdm)


class _Bar:
    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._phase: str | None = None
        self._bar: Any = None

    def __call__(self, phase: str, done: int, total: int) -> None:
        if phase != self._phase:
            if self._bar is not None:
                self._bar.close()
            self._phase, self._bar = phase, self._tqdm(total=total or None, desc=phase)
        self._bar.total = total or None
        self._bar.update(done - self._bar.n)
        if done >= total > 0:
            self._bar.close()
