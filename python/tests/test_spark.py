"""Data frames of Spark."""

import pytest

import truename as tn
from test_batch import NAMES, NOTES
from test_docs import is_installed

pa = pytest.importorskip("pyarrow")


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


def test_each_mention_has_a_row(spark, kb):
    from truename.spark import link, recognize

    df = spark.createDataFrame([(f"v{row}", note) for row, note in enumerate(NOTES)], "visit string, note string")
    rows = link(df, "note", kb=kb, id="visit", explode=True).orderBy("visit", "mention_start").collect()
    assert [(row["visit"], row["mention_id"]) for row in rows] == [
        ("v0", "D:1"),
        ("v0", "D:2"),
        ("v2", "C:1"),
        ("v2", "D:2"),
    ]
    found = recognize(df, "note", kb=kb, id="visit", explode=True, types=["disease"])
    assert sorted(row["mention_text"] for row in found.collect()) == ["T2DM", "type 2 diabetes"]


def test_parquet_keeps_what_answers_are_of(spark, kb, tmp_path):
    from truename.spark import match

    df = spark.createDataFrame([(name,) for name in NAMES], "dx string")
    for distinct in (True, False):
        path = str(tmp_path / str(distinct))
        match(df, "dx", kb=kb, distinct=distinct).write.parquet(path)
        fields = spark.read.parquet(path).schema
        assert fields["dx_id"].metadata["truename"] == {
            "version": tn.__version__,
            "fingerprint": kb.matcher().fingerprint,
            "knowledge_base": kb.fingerprint,
        }
        assert not fields["dx"].metadata


def test_names_that_a_collation_holds_to_be_equal_are_not(spark, kb):
    from truename.spark import match

    df = spark.sql("select name collate UTF8_LCASE as name from values ('asa'), ('ASA'), ('Asa') as t(name)")
    found = {row["name"]: row["name_probability"] for row in match(df, "name", kb=kb).collect()}
    assert found == {name: kb.matcher().one(name).probability for name in ("asa", "ASA", "Asa")}


def test_a_knowledge_base_is_sent_by_spark(spark, kb, tmp_path, monkeypatch):
    from truename.spark import match

    monkeypatch.setenv("TRUENAME_CACHE", str(tmp_path / "cache"))
    pack = kb.pack(tmp_path)
    spark.sparkContext.addFile(pack)
    df = spark.createDataFrame([("ASA",)], "dx string")
    assert match(df, "dx", kb=pack.rpartition("/")[2]).collect()[0]["dx_id"] == "C:1"


def test_equal_names_cost_nothing(spark, kb):
    from truename.spark import match

    df = spark.range(1000).selectExpr("if(id % 3 = 0, 'ASA', if(id % 7 = 0, null, concat('name ', id % 10))) as dx")
    matched = match(df, "dx", kb=kb)
    plan = matched._jdf.queryExecution().optimizedPlan().toString()
    assert plan.index("MapInArrow") < plan.index("Aggregate")
    assert matched.count() == 1000 and matched.where("dx_id = 'C:1'").count() == 334


def test_objects_pickle_into_functions_of_spark(spark, kb):
    pd = pytest.importorskip("pandas")
    from pyspark.sql.functions import pandas_udf

    matcher = kb.matcher(threads=1)

    @pandas_udf("string")
    def ids(names: pd.Series) -> pd.Series:
        return pd.Series(matcher.match(names).ids)

    df = spark.createDataFrame([(name,) for name in NAMES], "dx string")
    assert [row[0] for row in df.select(ids("dx")).collect()] == tn.Matcher.match(matcher, NAMES).ids


def test_records_are_clustered_as_by_one_process(spark, tmp_path):
    from truename.spark import dedupe

    given, family = ["Anna", "Ella", "Zoe", "Hans", "Igor"], ["Woods", "Sample", "Kaya", "Heath", "Doering", "Brandt"]
    streets = ["Elm Street", "Mill Road", "High Street", "Park Lane"]
    rows = []
    for at in range(80):
        person = [
            given[at % 5],
            family[at * 7 % 6],
            f"{at + 1} {streets[at % 4]}",
            f"19{at % 50 + 40}-0{at % 9 + 1}-11",
        ]
        rows.append([*person, f"0{300 + at}{583699 + 7919 * at}"])
        if at % 4 == 0:
            rows.append([person[0][:-1], *person[1:], f"+49 {300 + at}{583699 + 7919 * at}"])
        if at % 8 == 0:
            rows.extend([rows[-1], rows[-1]])
    rows.extend(
        [["", None, "", "", ""], ["", "", "", None, ""], ["Anna", None, None, None, ""], ["Anna", "", "", "", None]]
    )
    columns = ["first.name", "last name", "street", "born", "phone"]
    rows = [dict(zip(["key", *columns], [at, *row], strict=True)) for at, row in enumerate(rows)]
    schema = "key int, `first.name` string, `last name` string, street string, born string, phone string"
    df = spark.createDataFrame([tuple(row.values()) for row in reversed(rows)], schema).repartition(3)
    rules, types = ["last name + born", "street", "phone"], {"first.name": "given-name", "last name": "family-name"}
    model = tmp_path / "model.json"
    found = dedupe(df, "key", types=types, block=rules, save_model=model)
    assert found.columns == ["key", *columns, "cluster", "probability"]
    found = found.orderBy("key").collect()
    expected = tn.dedupe(rows, id_column="key", model=model, block=rules, neighbours=0)
    firsts = {}
    for row in expected:
        firsts.setdefault(row["cluster"], row["key"])
    assert [row["cluster"] for row in found] == [firsts[row["cluster"]] for row in expected]
    assert [row["probability"] for row in found] == [row["probability"] for row in expected]
    assert sum(row["probability"] is not None for row in found) > 40
    for bad, error, message in [
        (lambda: dedupe(df, "id"), KeyError, "no column 'id'"),
        (lambda: dedupe(df.na.fill("x"), "street"), ValueError, "several times"),
        (lambda: dedupe(df.selectExpr("nullif(key, 3) as key", "street"), "key"), ValueError, "nulls"),
        (lambda: dedupe(df.withColumn("cluster", df.key), "key"), ValueError, "already"),
        (lambda: dedupe(df, "key", block="town"), ValueError, "town"),
        (lambda: dedupe(df, "key", sample=0), ValueError, "larger"),
    ]:
        with pytest.raises(error, match=message):
            bad()
    assert dedupe(df.limit(0), "key").collect() == []
    spark.sparkContext.setCheckpointDir(str(tmp_path / "kept"))
    assert dedupe(df, "key", types=types, block=rules).orderBy("key").collect() == found
