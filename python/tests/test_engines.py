"""Data frames of Daft, Ray and Dask."""

import json

import pytest

import truename as tn
from test_batch import NAMES, NOTES
from test_docs import is_installed

pa = pytest.importorskip("pyarrow")

ROWS = NAMES * 3
"""Names of several partitions, with equal ones."""


class Daft:
    """Frames of Daft."""

    def __init__(self):
        from truename import daft

        self.adapter = daft

    def frame(self, columns):
        import daft

        return daft.from_pydict(columns).into_batches(4)

    def table(self, df):
        return df.to_arrow()


class Ray:
    """Data sets of Ray."""

    def __init__(self):
        from truename import ray

        self.adapter = ray

    def frame(self, columns):
        import ray

        return ray.data.from_arrow(pa.table(columns)).repartition(3)

    def table(self, ds):
        return pa.concat_tables(pa.table(batch) for batch in ds.iter_batches(batch_format="pyarrow", batch_size=None))


class Dask:
    """Frames of Dask."""

    def __init__(self):
        from truename import dask

        self.adapter = dask

    def frame(self, columns):
        import dask.dataframe as dd
        import pandas as pd

        return dd.from_pandas(pd.DataFrame(columns), npartitions=3)

    def table(self, df):
        return pa.Table.from_pandas(df.compute(scheduler="processes"), preserve_index=False)


@pytest.fixture(
    scope="module", params=[("daft", Daft), ("ray", Ray), ("dask.dataframe", Dask)], ids=["daft", "ray", "dask"]
)
def engine(request):
    """An engine of data frames."""
    name, made = request.param
    if not is_installed(name):
        pytest.skip(f"no {name}")
    if name == "ray":
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        request.addfinalizer(ray.shutdown)
    return made()


def test_names_have_the_answers_of_one_process(engine, kb, folder):
    expected = pa.array(kb.matcher(top=3).match(ROWS))
    df = engine.frame({"row": list(range(len(ROWS))), "dx": ROWS})
    options = [{}] if isinstance(engine, Ray) else [{}, {"distinct": False}]
    for distinct in options:
        found = engine.table(engine.adapter.match(df, "dx", kb=str(folder), top=3, **distinct)).sort_by("row")
        assert found.column_names[:3] == ["row", "dx", "dx_id"] and found.column_names[-1] == "dx_error"
        assert found["dx"].to_pylist() == ROWS and found["dx_error"].null_count == len(ROWS)
        for name in expected.type.names:
            assert found[f"dx_{name}"].to_pylist() == expected.field(name).to_pylist(), name


def test_texts_have_the_mentions_of_one_process(engine, kb):
    df = engine.frame({"visit": [f"v{row}" for row in range(5)], "note": NOTES, "row": list(range(5))})
    found = engine.table(engine.adapter.link(df, "note", kb=kb, id="visit")).sort_by("visit")
    assert found.column_names == ["visit", "mentions", "error"]
    shown = [mentions and [(one["text"], one["id"]) for one in mentions] for mentions in found["mentions"].to_pylist()]
    assert shown == [[("fever", "D:1"), ("T2DM", "D:2")], None, [("ASA", "C:1"), ("type 2 diabetes", "D:2")], [], []]
    rows = engine.table(engine.adapter.link(df, "note", kb=kb, id=["visit", "row"], explode=True))
    rows = rows.sort_by([("row", "ascending"), ("mention_start", "ascending")])
    assert rows.column_names[:4] == ["visit", "row", "mention_start", "mention_end"]
    assert rows["visit"].to_pylist() == ["v0", "v0", "v2", "v2"]
    assert rows["mention_id"].to_pylist() == ["D:1", "D:2", "C:1", "D:2"]
    names = engine.table(engine.adapter.recognize(df, "note", kb=kb, id="visit", explode=True, types=["disease"]))
    assert sorted(names["mention_text"].to_pylist()) == ["T2DM", "type 2 diabetes"]


def test_what_a_frame_lacks_is_named(engine, kb):
    df = engine.frame({"x": ["ASA"], "x_id": ["a"], "row": [1]})
    with pytest.raises(KeyError, match="no column 'y'"):
        engine.adapter.match(df, "y", kb=kb)
    with pytest.raises(ValueError, match="'x_id' already"):
        engine.adapter.match(df, "x", kb=kb)
    with pytest.raises(TypeError, match="topp"):
        engine.adapter.match(df, "x", kb=kb, topp=3)


def test_blocks_of_ray_say_what_they_are_of(engine, kb):
    if not isinstance(engine, Ray):
        pytest.skip("Ray's blocks alone have metadata")
    found = engine.table(engine.adapter.match(engine.frame({"dx": NAMES}), "dx", kb=kb))
    assert json.loads(found.schema.metadata[b"truename"])["dx"]["version"] == tn.__version__


def test_an_index_of_dask_is_kept(engine, kb):
    if not isinstance(engine, Dask):
        pytest.skip("Dask's frames alone have an index")
    import dask.dataframe as dd
    import pandas as pd

    index = pd.Index([f"p{row // 2}" for row in range(len(NAMES))], name="patient")
    df = dd.from_pandas(pd.DataFrame({"dx": NAMES}, index=index), npartitions=2, sort=False)
    found = engine.adapter.match(df, "dx", kb=kb).compute()
    assert found.index.name == "patient"
    assert sorted(zip(found.index, found["dx"].fillna(""), strict=True)) == sorted(
        (patient, name or "") for patient, name in zip(index, NAMES, strict=True)
    )
    assert engine.adapter.match(df, "dx", kb=kb, distinct=False).compute().index.equals(index)
