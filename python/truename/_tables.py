"""Tables of any library: pandas, polars, pyarrow, or lists of dicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def kind(table: Any) -> str:
    """Return the library of a table: pandas, polars, pyarrow or list."""
    library = type(table).__module__.partition(".")[0]
    return library if library in ("pandas", "polars", "pyarrow") else "list"


def columns(table: Any) -> list[str]:
    """Return the names of the columns."""
    match kind(table):
        case "pandas" | "polars":
            return [str(name) for name in table.columns]
        case "pyarrow":
            return list(table.column_names)
        case _:
            return list(dict.fromkeys(name for row in table for name in row))


def column(table: Any, name: str) -> list[Any]:
    """Return the values of a column. Raises KeyError if there is none."""
    known = columns(table)
    if name not in known:
        raise KeyError(f"the table has no column {name!r}; it has {', '.join(known)}")
    match kind(table):
        case "list":
            return [row.get(name) for row in table]
        case "pyarrow":
            return list(table[name].to_pylist())
        case _:
            return list(table[name])


def rows(table: Any) -> Iterable[Sequence[Any]]:
    """Return the rows as sequences of values."""
    match kind(table):
        case "pandas":
            yield from table.itertuples(index=False, name=None)
        case "polars":
            yield from table.iter_rows()
        case "pyarrow":
            yield from zip(*(values.to_pylist() for values in table.columns), strict=True)
        case _:
            names = columns(table)
            yield from ([row.get(name) for name in names] for row in table)


def strings(table: Any) -> tuple[list[str], list[list[str]]]:
    """Return the columns of a table and its values as text; one that is missing is empty."""
    return columns(table), [["" if _is_missing(value) else str(value) for value in row] for row in rows(table)]


def _is_missing(value: Any) -> bool:
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def refuse_taken(table: Any, names: Iterable[str]) -> None:
    """Raise ValueError if the table has one of the columns."""
    taken = sorted(set(names) & set(columns(table)))
    if taken:
        raise ValueError(f"the table has a column {taken[0]!r} already; rename it")


def with_columns(table: Any, added: Mapping[str, list[Any]]) -> Any:
    """Return a table with further columns, of the kind of the table."""
    match kind(table):
        case "pandas":
            return table.assign(**{name: _series(values, table.index) for name, values in added.items()})
        case "polars":
            import polars as pl

            return table.with_columns(pl.Series(name, values) for name, values in added.items())
        case "pyarrow":
            for name, values in added.items():
                table = table.append_column(name, [values])
            return table
        case _:
            return [{**row, **{name: values[at] for name, values in added.items()}} for at, row in enumerate(table)]


def _series(values: list[Any], index: Any) -> Any:
    import pandas as pd

    return pd.Series(values, index=index)


def made(like: Any, columns: Mapping[str, list[Any]]) -> Any:
    """Return a table of columns, of the kind of another."""
    match kind(like):
        case "pandas":
            import pandas as pd

            return pd.DataFrame(columns)
        case "polars":
            import polars as pl

            return pl.DataFrame(columns)
        case "pyarrow":
            import pyarrow as pa

            return pa.table(dict(columns))
        case _:
            return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
