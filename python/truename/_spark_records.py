"""Records of a data frame of Spark that stand for the same thing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _tables
from ._record_parts import RecordParts
from ._truename import _fit_sample, _RecordParts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SHARES = 1_000_000
"""Parts of a frame, of which a sample takes some."""


def quoted(column: str) -> str:
    """Return the name of a column that may hold dots."""
    return "`" + column.replace("`", "``") + "`"


class RecordWork:
    """The rows of a frame, to be compared."""

    def __init__(self, df: DataFrame, id: str, column: Sequence[str] | None, types: dict[str, str]) -> None:
        from pyspark.sql import functions as sql

        taken = sorted({"cluster", "probability"}.intersection(df.columns))
        if taken:
            raise ValueError(f"the frame has a column {taken[0]!r} already; rename it")
        self.df, self.id, self.types, self.are_chosen = df, id, types, bool(column)
        self.columns = list(column or (name for name in df.columns if name != id))
        for name in (id, *self.columns):
            if name not in df.columns:
                raise KeyError(f"the frame has no column {name!r}; it has {', '.join(df.columns)}")
        texts = [sql.coalesce(sql.col(quoted(name)).cast("string"), sql.lit("")) for name in self.columns]
        fields = (text.alias(f"a{at}") for at, text in enumerate(texts))
        self.rows = df.select(sql.col(quoted(id)).alias("id"), *fields)
        self.id_type = self.rows.schema["id"].dataType.simpleString()

    def unanswered(self) -> DataFrame:
        """Return a frame without rows with the columns of the answer."""
        from pyspark.sql import functions as sql

        return self.df.select(
            "*", sql.col(quoted(self.id)).alias("cluster"), sql.lit(None).cast("double").alias("probability")
        )

    def fitted(
        self,
        sample: int,
        threshold: float,
        *,
        model: str | os.PathLike[str] | None,
        save_model: str | os.PathLike[str] | None,
        block: str | Sequence[str] | None,
    ) -> RecordParts | None:
        """Return the model fitted to a sample, with rules of blocking; None if there are no rows."""
        from pyspark.sql import functions as sql

        counts: Any = self.rows.agg(sql.count("*"), sql.count("id"), sql.count_distinct("id")).first()
        every, filled, distinct = counts
        if filled < every or distinct < every:
            which = "nulls" if filled < every else "values that stand several times"
            raise ValueError(f"the column {self.id!r} has {which}; an id names one row")
        if not every:
            return None
        # By the hash of its id a row is in the sample whatever the partitions are.
        share = min(1.0, sample / every)
        is_drawn = sql.pmod(sql.xxhash64("id"), sql.lit(_SHARES)) < sql.lit(round(share * _SHARES))
        _, texts = _tables.strings(self.rows.where(is_drawn).orderBy("id").drop("id").toPandas())
        if not texts:
            raise ValueError(f"no row is in a sample of {sample}; make it larger")
        compared, fitted, rules = _fit_sample(
            (self.columns, texts),
            share,
            column=self.columns if self.are_chosen else None,
            types=self.types,
            model=model,
            block=block,
            threshold=threshold,
        )
        if save_model is not None:
            with open(save_model, "w", encoding="utf-8") as file:
                file.write(fitted)
        return RecordParts(compared, fitted, rules, threshold)

    def answered(self, parts: RecordParts) -> DataFrame:
        """Return the frame with the columns of the answer."""
        from pyspark.sql import functions as sql

        rows = self._equal_rows(parts)
        # Equal rows are one record, for which the first one stands.
        records = rows.where("id = first").select("id", *parts.fields, (sql.col("count") > 1).alias("repeated"))
        parts = parts.with_frequencies(self._frequencies(records, parts))
        scored = self._scored(records, parts)
        resolved = self._resolved(records, scored, parts).withColumnRenamed("id", "first")
        answer = rows.select("id", "first").join(resolved, "first", "left")
        is_first = sql.col("id") == sql.col("first")
        cluster = sql.when(is_first | sql.col("is_shared"), sql.coalesce("cluster", "id")).otherwise(sql.col("id"))
        equal = sql.when(sql.col("is_shared"), sql.col("best_equal"))
        probability = sql.when(is_first, sql.col("best")).otherwise(equal)
        name = "truename_id"
        answer = answer.select(sql.col("id").alias(name), cluster.alias("cluster"), probability.alias("probability"))
        joined = self.df.join(answer, self.df[quoted(self.id)] == answer[name])
        return joined.select(*map(quoted, [*self.df.columns, "cluster", "probability"]))

    def _equal_rows(self, parts: RecordParts) -> DataFrame:
        """Return the rows with `first`, the least id of the equal ones, and their `count`. A row without a value is equal to none."""
        from pyspark.sql import Window
        from pyspark.sql import functions as sql

        named = zip(parts.columns, parts.fields, strict=True)
        rows = self.rows.select("id", *(sql.col(f"a{self.columns.index(name)}").alias(field) for name, field in named))
        alone = sql.when(~sql.concat(*parts.fields).rlike(r"(?U)\S"), sql.col("id"))
        equal = Window.partitionBy(*parts.fields, alone)
        least, count = sql.min("id").over(equal), sql.count("*").over(equal)
        return _kept(rows.select(*rows.columns, least.alias("first"), count.alias("count")))

    def _frequencies(self, records: DataFrame, parts: RecordParts) -> bytes:
        """Count the values of the records, and the words and n-grams of their distinct texts."""
        from pyspark.sql import functions as sql

        texts = records.mapInArrow(parts.value_texts, "column int, text string, count long")
        texts = texts.groupBy("column", "text").agg(sql.sum("count").alias("count"))
        terms = texts.mapInArrow(parts.value_terms, "term long, count long")
        terms = terms.groupBy("term").agg(sql.sum("count").alias("count"))
        kept: Any = terms.mapInArrow(parts.told, "term long, count long").toPandas()
        return _RecordParts.frequencies_of(records.count(), list(kept["term"]), list(kept["count"]))

    def _scored(self, records: DataFrame, parts: RecordParts) -> DataFrame:
        """Return the pairs that the rules propose, `left` before `right`, with their `probability`."""
        from pyspark.sql import functions as sql

        keys = records.mapInArrow(parts.keys, f"rule int, key string, id {self.id_type}")
        shared = keys.groupBy("rule", "key").count().where(f"count between 2 and {_RecordParts.MOST_WITH_KEY}")
        keys = keys.join(shared.drop("count"), ["rule", "key"])
        left, right = keys.withColumnRenamed("id", "left"), keys.withColumnRenamed("id", "right")
        pairs = left.join(right, ["rule", "key"]).where("left < right").select("left", "right").distinct()
        for side in ("left", "right"):
            fields = (sql.col(field).alias(f"{side}_{field}") for field in parts.fields)
            pairs = pairs.join(records.select(sql.col("id").alias(side), *fields), side)
        schema = f"left {self.id_type}, right {self.id_type}, probability double"
        return _kept(pairs.mapInArrow(parts.score, schema))

    def _resolved(self, records: DataFrame, scored: DataFrame, parts: RecordParts) -> DataFrame:
        """Return the cluster of each record that matches another one or stands several times."""
        from pyspark.sql import functions as sql

        found = _components(scored.where(sql.col("probability") >= parts.threshold))
        within = scored
        for side in ("left", "right"):
            within = within.join(
                found.select(sql.col("id").alias(side), sql.col("component").alias(f"of_{side}")), side
            )
        within = within.where("of_left = of_right")
        others = within.groupBy(sql.col("left").alias("id")).agg(sql.collect_list("right").alias("others"))
        members = records.join(found, "id", "left").where("component is not null or repeated")
        members = members.withColumn("component", sql.coalesce("component", "id")).join(others, "id", "left")
        members = members.repartition("component").sortWithinPartitions("component", "id")
        schema = f"id {self.id_type}, cluster {self.id_type}, is_shared boolean, best double, best_equal double"
        return members.mapInArrow(parts.resolve, schema)


def _kept(frame: DataFrame) -> DataFrame:
    """Return a frame that is computed: in the folder of checkpoints if the session has one, else on the executors, whose loss fails the job."""
    context = getattr(frame.sparkSession, "_sc", None)
    is_reliable = context is not None and context.getCheckpointDir() is not None
    return frame.checkpoint() if is_reliable else frame.localCheckpoint()


def _components(edges: DataFrame) -> DataFrame:
    """Return the nodes of edges from `left` to `right` as `id`, with `component`, the least node that they are connected with.

    By large-star and small-star steps (Kiveris et al. 2014), until nothing changes.
    """
    from pyspark.sql import functions as sql

    def digest(edges: DataFrame) -> Any:
        return edges.agg(sql.count("*"), sql.sum(sql.xxhash64("left", "right").cast("decimal(38)"))).first()

    edges, before = _kept(edges.select("left", "right")), None
    while (now := digest(edges)) != before:
        before = now
        # The greater neighbours of each node are joined to the least of all its neighbours,
        back = edges.select(sql.col("right").alias("left"), sql.col("left").alias("right"))
        both = edges.unionAll(back)
        least = both.groupBy("left").agg(sql.least(sql.min("right"), sql.first("left")).alias("least"))
        large = both.join(least, "left").where("right > left")
        edges = large.select(sql.col("least").alias("left"), "right").distinct()
        # then the lesser neighbours and the node itself to the least of these.
        least = edges.groupBy("right").agg(sql.min("left").alias("least"))
        lesser = edges.join(least, "right").where("left != least")
        joined = lesser.select(sql.col("least").alias("left"), sql.col("left").alias("right"))
        own = least.select(sql.col("least").alias("left"), "right")
        edges = _kept(joined.unionAll(own).distinct())
    stars = edges.select(sql.col("right").alias("id"), sql.col("left").alias("component"))
    return stars.unionAll(edges.select("left", "left").distinct())
