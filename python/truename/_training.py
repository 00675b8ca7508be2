"""Training by a recipe."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ._open import Kb, knowledge_base
from ._truename import _train

PathLike = str | os.PathLike[str]
_Paths = tuple[str, str, list[PathLike]]
"""An argument, the key of the recipe that it sets, and its paths."""


@dataclass
class Run:
    """A finished run: its folder, which `Encoder.open`, `Recognizer.open` and `KnowledgeBase.embed` take."""

    folder: Path
    """Folder of the model."""
    folders: list[Path]
    """Folders of all runs of the recipe, that on all data first."""
    steps: int = 0
    """Number of steps of the last run."""
    seconds: float = 0.0
    """Time of the last run."""
    evaluations: list[dict[str, Any]] = field(default_factory=list)
    """Evaluations: epoch, step where it is within an epoch, scores by name, and whether the scores were the best so far."""

    def __fspath__(self) -> str:
        """Return the folder."""
        return str(self.folder)


def train(
    recipe: PathLike,
    *,
    out: PathLike,
    kb: Kb = None,
    names: PathLike | Sequence[PathLike] | None = None,
    encoder: PathLike | None = None,
    device: str | None = None,
    set: Mapping[str, Any] | None = None,
    resume: bool = False,
    threads: int | None = None,
    on_step: Callable[[dict[str, Any]], Any] | None = None,
    progress: bool = False,
) -> Run:
    """Make the runs of a recipe in the folder `out`, as `truename train` does.

    `kb`, `names`, `encoder` and `device` take the place of those in the recipe; `set` changes any key, None takes it out. `on_step` is told what
    happens: dicts with `event` ("begin", "step", "evaluation", "out_of_time" or "end") and its numbers. `progress` draws a bar where `tqdm` is
    installed.
    Interrupted, the run keeps a checkpoint, from which `resume=True` goes on.
    """
    paths: list[_Paths] = []
    if kb is not None:
        paths.append(("kb", "data.kb", [knowledge_base(kb).path]))
    if names is not None:
        paths.append(("names", "data.names", _list(names)))
    if encoder is not None:
        paths.append(("encoder", "encoder.from", [encoder]))
    return _run(recipe, out, paths, {**_given(device=device), **(set or {})}, resume, threads, on_step, progress)


def distil(
    teacher: PathLike,
    texts: PathLike | Sequence[PathLike] = (),
    *,
    out: PathLike,
    layers: int | None = None,
    hidden: int | None = None,
    vocabulary: Literal["all", "texts"] | None = None,
    kb: Kb = None,
    names: PathLike | Sequence[PathLike] = (),
    dev: PathLike | Sequence[PathLike] = (),
    device: str | None = None,
    set: Mapping[str, Any] | None = None,
    resume: bool = False,
    threads: int | None = None,
    on_step: Callable[[dict[str, Any]], Any] | None = None,
    progress: bool = False,
) -> Run:
    """Train a smaller student that answers as a teacher does, as `truename distil` does.

    `teacher` is a folder of a recognizer or an encoder, which may be quantised, or "bundled" for the recognizer of the package. A recognizer learns
    from files of `texts`, an encoder from the names of `kb` and `names`. The student has so many `layers`, states of the width `hidden`, and the word
    pieces of the texts alone by `vocabulary="texts"`; at least one of these is given. `dev` is documents to evaluate on. The rest is as in `train`.
    """
    size = _given(**{"student.layers": layers, "student.hidden": hidden, "student.vocabulary": vocabulary})
    if not size:
        raise ValueError("layers, hidden or vocabulary says how the student is smaller than its teacher")
    given = [
        ("texts", "data.text", _list(texts)),
        ("names", "data.names", _list(names)),
        ("dev", "data.dev", _list(dev)),
    ]
    paths: list[_Paths] = [("teacher", "encoder.from", [teacher]), *(one for one in given if one[2])]
    if kb is not None:
        paths.append(("kb", "data.kb", [knowledge_base(kb).path]))
    changes = {**size, **_given(device=device), **(set or {})}
    return _run(None, out, paths, changes, resume, threads, on_step, progress)


def _list(paths: PathLike | Sequence[PathLike]) -> list[PathLike]:
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def _given(**settings: Any) -> dict[str, Any]:
    """Return the settings that are not None."""
    return {key: value for key, value in settings.items() if value is not None}


def _run(
    recipe: PathLike | None,
    out: PathLike,
    paths: list[_Paths],
    changes: Mapping[str, Any],
    resume: bool,
    threads: int | None,
    on_step: Callable[[dict[str, Any]], Any] | None,
    progress: bool,
) -> Run:
    """Make the runs of a recipe, None for that of distillation, with its keys changed."""
    run = Run(Path(out), [])
    bar = _Bar() if progress else None

    def tell(event: dict[str, Any]) -> None:
        if event["event"] == "evaluation":
            run.evaluations.append({key: value for key, value in event.items() if key != "event"})
        if event["event"] == "end":
            run.steps, run.seconds = event["steps"], event["seconds"]
        if bar is not None:
            bar(event)
        if on_step is not None:
            on_step(event)

    settings = [f"{key}={'' if value is None else _toml(value)}" for key, value in changes.items()]
    run.folders = _train(recipe, out, paths, settings, resume=resume, threads=threads or 0, on_event=tell)
    return run


def _toml(value: Any) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if value is None:
        raise ValueError("a value within a list or table of a recipe is None, which TOML cannot write")
    return json.dumps(value, ensure_ascii=False)


class _Bar:
    def __init__(self) -> None:
        from ._progress import bar

        self._draw = bar()

    def __call__(self, event: dict[str, Any]) -> None:
        if event["event"] == "step":
            self._draw("training", event["step"], event["steps"])
