"""Data frames of Spark."""

import pickle

import pytest

import truename as tn
from test_docs import is_installed

pa = pytest.importorskip("pyarrow")

NAMES = ["heart atack", None, "qqqq", "heart atack", "ASA", "", "😀", "MI", "hart failure"]
NOTES = ["No fever, T2DM.", None, "🤒 ASA and type 2 diabetes", "", "nothing"]


@pytest.fixture(scope="module")
def spark():
    """A session of Spark with two workers."""
    if not is_installed("pyspark"):
        pytest.skip("no PySpark or no Java")
    from pyspark.sql import SparkSession

    options = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "3",
    }
    session = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    yield session
    session.stop()


def batch(name, values, kind=None):
    """Return a record batch with a number for each value."""
    return pa.RecordBatch.from_pydict({"row": pa.array(range(len(values)), pa.int64()), name: pa.array(values, kind)})


def broken(values):
    """Return strings that are not all UTF-8."""
    raw = pa.array(values, pa.binary())
    return pa.StringArray.from_buffers(len(raw), raw.buffers()[1], raw.buffers()[2], raw.buffers()[0])


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_a_batch_of_names_has_the_answers_of_one_process(kb, kind):
    from truename.spark import MatchBatch

    work = pickle.loads(pickle.dumps(MatchBatch(kb.matcher(top=3), "dx", top=3)))
    found = work(batch("dx", NAMES, kind))
    answers = pa.array(kb.matcher(top=3).match(NAMES))
    assert found.schema.names[:2] == ["row", "dx"] and found["dx"].to_pylist() == NAMES
    assert found["dx_error"].null_count == len(NAMES)
    for name in answers.type.names:
        assert found[f"dx_{name}"].to_pylist() == answers.field(name).to_pylist()
    assert found["dx_id"][1].as_py() is None and found["dx_candidates"][1].as_py() is None
    assert work(batch("dx", [], kind)).schema == found.schema == work(batch("dx", [None], kind)).schema


def test_a_batch_of_texts_has_the_mentions_of_one_process(kb):
    from truename.spark import LinkBatch

    work = pickle.loads(pickle.dumps(LinkBatch(kb.linker(top=2), "note", ["row"], top=2)))
    found = work(batch("note", NOTES))
    assert found.schema.names == ["row", "mentions", "error"]
    for text, mentions in zip(NOTES, found["mentions"].to_pylist(), strict=True):
        if text is None:
            assert mentions is None
            continue
        expected = list(kb.linker(top=2).link(text))
        assert [(one["start"], one["end"], one["id"], one["probability"]) for one in mentions] == [
            (one.start, one.end, one.id, one.probability) for one in expected
        ]
        assert [[c["id"] for c in one["candidates"]] for one in mentions] == [
            [c.id for c in one.candidates] for one in expected
        ]


def test_a_row_that_fails_is_marked(kb):
    from truename.spark import LinkBatch, MatchBatch

    rows = pa.RecordBatch.from_arrays([broken([b"ASA", b"\xff\xfe", None, b"fever"])], names=["x"])
    names = MatchBatch(kb.matcher(), "x")(rows)
    assert names["x_id"].to_pylist() == ["C:1", None, None, "D:1"]
    assert [error is None for error in names["x_error"].to_pylist()] == [True, False, True, True]
    texts = LinkBatch(kb.linker(), "x", [])(rows)
    assert [mentions and mentions[0]["id"] for mentions in texts["mentions"].to_pylist()] == ["C:1", None, None, "D:1"]
    assert "UTF" in texts["error"][1].as_py()


def test_frames_are_matched(spark, kb, folder):
    from truename.spark import match

    df = spark.createDataFrame(list(enumerate(NAMES)), "row int, dx string").repartition(3)
    expected = kb.matcher(top=3).match(NAMES)
    answers = pa.array(expected)
    for distinct in (True, False):
        found = match(df, "dx", kb=str(folder), top=3, distinct=distinct)
        assert found.columns[:3] == ["row", "dx", "dx_id"] and found.columns[-1] == "dx_error"
        table = found.toArrow().sort_by("row")
        assert table["dx"].to_pylist() == NAMES
        for name in answers.type.names:
            assert table[f"dx_{name}"].to_pylist() == answers.field(name).to_pylist(), name
    bad = spark.sql("select cast(x'fffe' as string) as x union all select 'ASA'")
    marked = {row["x_id"]: row["x_error"] for row in match(bad, "x", kb=kb, distinct=False).drop("x").collect()}
    assert marked["C:1"] is None and "UTF" in marked[None]
    with pytest.raises(KeyError, match="no column 'y'"):
        match(df, "y", kb=kb)
    with pytest.raises(TypeError, match="integer"):
        match(df, "row", kb=kb)
    with pytest.raises(ValueError, match="already"):
        match(match(bad, "x", kb=kb), "x", kb=kb)
    with pytest.raises(TypeError, match="topp"):
        match(df, "dx", kb=kb, topp=3)


def test_frames_of_texts_are_linked(spark, kb):
    from truename.spark import link

    df = spark.createDataFrame(
        [(f"v{row}", note, row) for row, note in enumerate(NOTES)], "visit string, note string, row int"
    )
    found = link(df, "note", kb=kb, id=["visit"])
    assert found.columns == ["visit", "mentions", "error"]
    mentions = {row["visit"]: row["mentions"] for row in found.collect()}
    assert mentions["v1"] is None and mentions["v3"] == mentions["v4"] == []
    assert [(one["text"], one["id"]) for one in mentions["v0"]] == [("fever", "D:1"), ("T2DM", "D:2")]
    assert link(df, "note").columns == ["visit", "note", "row", "mentions", "error"]
    assert link(df, "note").where("array_contains(mentions.id, 'D005334')").count() == 1


def test_objects_pickle_into_functions_of_spark(spark, kb):
    pd = pytest.importorskip("pandas")
    from pyspark.sql.functions import pandas_udf

    matcher = kb.matcher(threads=1)

    @pandas_udf("string")
    def ids(names: pd.Series) -> pd.Series:
        return pd.Series(matcher.match(names).ids)

    df = spark.createDataFrame([(name,) for name in NAMES], "dx string")
    assert [row[0] for row in df.select(ids("dx")).collect()] == tn.Matcher.match(matcher, NAMES).ids
