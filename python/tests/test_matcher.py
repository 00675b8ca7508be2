import pytest


def test_one_name_is_matched(kb):
    link = kb.matcher(top=5).one("heart atack")
    assert (link.text, link.id, link.name, link.matched_name) == (
        "heart atack",
        "D:3",
        "Myocardial Infarction",
        "heart attack",
    )
    assert link and not link.is_nil and link.probability == link.candidates[0].probability
    assert link.to_dict()["preferred_name"] == link.name and link.retired_id is None and not link.is_truncated
    nil = kb.matcher().one("qqqq")
    assert not nil and nil.id is None and nil.name is None and "None" in repr(nil)
    assert link == kb.matcher(top=5).one("heart atack") and link != nil


def test_rapidfuzz_is_answered_in_its_shape(kb):
    matcher = kb.matcher()
    found = matcher.extract("heart atack", limit=3)
    name, score, id = found[0]
    assert (name, id) == ("heart attack", "D:3") and 0 < score <= 100 and len(found) <= 3
    assert [one[1] for one in found] == sorted((one[1] for one in found), reverse=True)
    assert matcher.extractOne("heart atack") == found[0]
    assert matcher.extractOne("heart atack", score_cutoff=100.1) is None
    assert matcher.extract("heart atack", limit=0) == []


def test_a_list_is_matched(kb):
    matches = kb.matcher().match(["fever", None, "qqqq", "fever", float("nan")])
    assert matches.ids == ["D:1", None, None, "D:1", None] and len(matches) == 5
    assert matches[1] is None and matches[0].id == "D:1" and matches[-2].id == "D:1" and matches[2].is_nil
    assert matches.to_list()[0]["id"] == "D:1" and matches.to_list()[1] is None
    assert "2 of 5" in repr(matches)
    with pytest.raises(IndexError):
        matches[5]
    with pytest.raises(TypeError, match="row 1 of the column is int"):
        kb.matcher().match(["a", 1])
    assert len(kb.matcher().match([])) == 0
    assert kb.matcher().match(name for name in ["fever"]).ids == ["D:1"]


def test_progress_is_told(kb):
    told = []
    kb.matcher().match([f"fever {number}" for number in range(3000)], progress=lambda *step: told.append(step))
    assert told[-1] == ("matching", 3000, 3000)
    kb.matcher().match(["fever"], progress=True)

    def fails(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        kb.matcher().match(["fever"], progress=fails)


def test_options_of_texts_are_refused(kb):
    with pytest.raises(TypeError, match="nested"):
        kb.matcher(nested=True)


def test_pyarrow_columns_are_matched(kb):
    pa = pytest.importorskip("pyarrow")
    names = ["fever", None, "qqqq", "heart atack"]
    expected = kb.matcher().match(names)
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
        column = pa.array(names, pa.string()).cast(kind) if not pa.types.is_string_view(kind) else pa.array(names, kind)
        matches = kb.matcher().match(column)
        assert matches.to_list() == expected.to_list(), kind
        assert kb.matcher().match(pa.chunked_array([column, column[:0], column[1:]])).ids == [
            *expected.ids,
            *expected.ids[1:],
        ]
    array = pa.array(expected)
    assert array.type.names == ["id", "preferred_name", "matched_name", "probability"]
    rows = array.to_pylist()
    assert rows[0]["id"] == "D:1" and rows[1] is None and rows[2]["id"] is None and rows[2]["probability"] is not None
    assert pa.chunked_array(expected).to_pylist() == rows
    with pytest.raises(TypeError, match="Int64"):
        kb.matcher().match(pa.array([1]))
    detailed = pa.array(kb.matcher(top=2, explain=True).match(["MI", None])).to_pylist()
    assert {one["id"] for one in detailed[0]["candidates"]} == {"D:3", "D:5"} and detailed[0]["explanation"]
    assert detailed[1] is None


def test_polars_columns_are_matched(kb):
    pl = pytest.importorskip("polars")
    matches = kb.matcher().match(pl.Series(["fever", None, "ASA"]))
    assert matches.ids == ["D:1", None, "C:1"]
    assert pl.Series(matches).struct.field("id").to_list() == ["D:1", None, "C:1"]
    assert kb.matcher().match(pl.Series(["fever", "ASA"], dtype=pl.Categorical)).ids == ["D:1", "C:1"]


def test_pandas_columns_are_matched(kb):
    pd = pytest.importorskip("pandas")
    for series in (
        pd.Series(["fever", None, "ASA"]),
        pd.Series(["fever", None, "ASA"], dtype=object),
        pd.Series(["fever", float("nan"), "ASA"], dtype=object),
        pd.Series(["fever", pd.NA, "ASA"], dtype=object),
        pd.Series(["fever", None, "ASA"], dtype="string"),
        pd.Series(["fever", None, "ASA"], dtype="category"),
    ):
        assert kb.matcher().match(series).ids == ["D:1", None, "C:1"], series.dtype
