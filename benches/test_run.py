"""Tests how `benches/run` reads outputs and writes tables: python3 -m unittest benches/test_run.py"""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import tempfile
import types
import unittest
from unittest import mock

loader = importlib.machinery.SourceFileLoader("run", str(pathlib.Path(__file__).with_name("run")))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)

TABLE = """Text.
<!-- table one -->
| | @1 | speed | note | build |
| --- | --- | --- | --- | --- |
| **Ours**, trained | **81.0 ± 0.5** | 28,000 to 32,900; 308 | | old |
| theirs | 70.0 | 5 | | |
<!-- end -->
| **Ours**, trained | 81.0 |
"""


def named(name):
    return next(row for row in run.ROWS if row.name == name)


def readings(name, output):
    return {reading.row: reading.read(output) for reading in named(name).readings}


def found(value, metric="acc_1", row="r", **other):
    return {"section": "s", "row": row, "metric": metric, "value": value, "command": "c", "seconds": 1, "commit": "new"} | other


class Read(unittest.TestCase):
    def test_lines_of_names(self):
        output = (
            "esappmod: 3352 names\n"
            "                      acc@1  acc@3  acc@5 acc@10    MRR    standard deviations\n"
            "n-gram                73.78  85.38  88.81  91.00 0.8012     1.18  1.86  1.85  1.10\n"
            "ranked                86.61  91.80  92.78  94.00 0.8934     0.49  1.56  1.40  1.30\n"
            "ranked with vectors   88.10  93.05  94.33  95.01 0.9063     0.62  1.28  1.22  1.12\n"
        )
        ranked = readings("esappmod", output)["esappmod, ranked"]
        self.assertEqual((ranked["acc_1"], ranked["acc_5"], ranked["mrr"], ranked["sd_3"]), (86.61, 92.78, 0.8934, 1.56))

    def test_lines_without_deviations(self):
        output = (
            "ncbi: 972 names\n"
            "exact                 76.85  76.85  76.85  76.85 0.7700    \n"
            "n-gram                86.52  91.67  92.49  93.00 0.8900    \n"
        )
        read = readings("ncbi", output)
        self.assertEqual(read["ncbi, names"], {"names": 972})
        self.assertEqual(read["ncbi, n-gram"]["acc_3"], 91.67)
        self.assertNotIn("sd_1", read["ncbi, n-gram"])

    def test_link(self):
        output = (
            "                                  P      R     F1    acc@1  acc@5        P      R     F1\n"
            "dictionary, no abbreviations  69.10  61.25  64.94    73.02  80.00    61.32  54.17  57.52\n"
            "dictionary                    70.96  65.42  68.08    79.06  85.00    67.46  61.98  64.60\n"
            "1 thread(s): opened in 1.2 ms, 1186 abstracts/s, 3844 again\n"
            "2 thread(s): opened in 1.2 ms, 2114 abstracts/s, 7461 again\n"
        )
        read = readings("link-ncbi", output)
        self.assertEqual(read["NCBI, dictionary"]["f1"], 64.60)
        self.assertEqual(read["NCBI, dictionary"]["given"], 79.06)
        self.assertEqual(read["NCBI, dictionary, no abbreviations"]["mention_f1"], 64.94)
        self.assertEqual(read["NCBI, 2 threads"], {"first": 2114, "again": 7461})

    def test_million(self):
        output = (
            "1 concepts, 1500000 names\n"
            "import                  17.6 s       86000 names/s\n"
            "store                    373 MB\n"
            "n-gram, 0 edit(s)   p50   1.10 ms   p99   3.00 ms   recall@10 1.0000\n"
            "n-gram, 1 edit(s)   p50   1.70 ms   p99   6.70 ms   recall@10 0.9840\n"
            "match, 1 thread(s)     28000 exact names/s\n"
            "match, 1 thread(s)       308 names with an edit/s\n"
            "match, 2 thread(s)     52000 exact names/s\n"
            "match, 2 thread(s)       596 names with an edit/s\n"
        )
        read = readings("million", output)
        self.assertEqual(read["import"], {"seconds": 17.6, "rate": 86000, "disk": 373})
        self.assertEqual(read["n-gram search"], {"p50": 1.7, "p99": 6.7})
        self.assertEqual(read["match, two cores"], {"exact": 52000, "edited": 596})

    def test_keys_of_a_report_in_any_order(self):
        for output in ('{"step_s":0.51,"losses":[1.0],"memory_mb":584.2}', '{"losses":[1.0],"memory_mb":584.2,"step_s":0.51}'):
            self.assertEqual(readings("train-step", output)["step of 160 names"], {"seconds": 0.51, "memory": 584.2})

    def test_paths_of_a_report_of_shares(self):
        reading = run.Reading("r", (), paths={"f1": "scores/a, b/f1"})
        self.assertEqual(reading.read('{"scores": {"a, b": {"f1": 0.5}}}'), {"f1": 50})
        with self.assertRaisesRegex(ValueError, "scores/a, b/f1"):
            reading.read('{"scores": {}}')

    def test_an_output_without_the_line(self):
        with self.assertRaisesRegex(ValueError, "no line of the output"):
            readings("abbreviations", "nothing\n")


class Rows(unittest.TestCase):
    def test_figures_are_not_rounded_twice(self):
        reading = run.Reading("r", (("one", "Ours, trained", {"@1": "f1"}),), paths={"f1": "f1"})
        row = run.Row("n", "s", 1, "c", (reading,))
        of_run = dict.fromkeys(("seconds", "commit", "machine", "build", "date"), "") | {"output": '{"f1": 0.94074996}'}
        (figure,) = run.rows_of(row, of_run)
        self.assertEqual(run.replaced("94.00", [figure["value"]]), "94.07")

    def test_a_later_run_replaces_its_figures_alone(self):
        merged = run.merged([found(1), found(2, "acc_3")], [found(3)])
        self.assertEqual([row["value"] for row in merged], [3, 2])

    def test_names_and_figures_are_unique(self):
        names = [row.name for row in run.ROWS]
        self.assertEqual(len(names), len(set(names)))
        figures = [(row.section, reading.row) for row in run.ROWS for reading in row.readings]
        self.assertEqual(len(figures), len(set(figures)))

    def test_metrics_have_units(self):
        for row in run.ROWS:
            for reading in row.readings:
                shown = {metric for _, _, columns in reading.cells for metrics in columns.values() for metric in metrics.split()}
                read = set(reading.paths) or set(run.re.compile(reading.pattern).groupindex)
                self.assertLessEqual(shown, read, reading.row)
                self.assertLessEqual(read, set(run.UNITS), reading.row)

    def test_rows_that_do_not_fit_are_listed(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "program").write_text("program")
            short = run.Row("short", "s", 0.1, "echo F1 81.25 # {binary}", (run.Reading("r", (), r"F1 (?P<f1>\S+)"),))
            rows = [short, run.Row("long", "s", 600, "false # {binary}", ()), run.Row("vectors", "s", 0.1, "false # {model}", ())]
            arguments = types.SimpleNamespace(data=folder, model=None, binary=folder / "program", bench=folder / "none", only=None, minutes=5)
            printed = io.StringIO()
            with mock.patch.multiple(run, ROWS=rows, RESULTS=folder / "results.json"), contextlib.redirect_stdout(printed):
                with contextlib.redirect_stderr(io.StringIO()):
                    self.assertEqual(run.measure(arguments, []), 0)
            (row,) = json.loads((folder / "results.json").read_text())
            self.assertEqual((row["value"], row["unit"], row["command"]), (81.25, "%", "echo F1 81.25 # truename"))
            self.assertEqual(len(row["build"]), 64)
            self.assertIn("not measured: long: takes about 600.0 minutes", printed.getvalue())
            self.assertIn("not measured: vectors: no --model", printed.getvalue())

    def test_a_failed_row_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            unread = run.Row("unread", "s", 0.1, "echo nothing", (run.Reading("r", (), "F1 (?P<f1>.)"),))
            rows = [run.Row("bad", "s", 0.1, "false", ()), unread]
            arguments = types.SimpleNamespace(data=pathlib.Path(folder), model=None, binary=None, bench=None, only=None, minutes=5)
            printed = io.StringIO()
            with mock.patch.multiple(run, ROWS=rows), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(run.measure(arguments, []), 1)
            self.assertEqual(printed.getvalue(), "not measured: bad: failed\nnot measured: unread: failed\n")


class Tables(unittest.TestCase):
    def test_numbers_keep_their_form(self):
        self.assertEqual(run.replaced("**88.81 ± 0.83** MiniLM-L6", [90.004, 1]), "**90.00 ± 1.00** MiniLM-L6")
        self.assertEqual(run.replaced("28,000 to 32,900; 308", [31000.4, 299.6]), "31,000; 300")
        self.assertEqual(run.replaced("67.46 / **64.60 %**", [1, 2]), "1.00 / **2.00 %**")
        with self.assertRaisesRegex(ValueError, "does not have 1 numbers"):
            run.replaced("1 / 2", [1])

    def test_a_measured_row_is_written(self):
        tables = {"one": {"Ours, trained": {"@1": [82.25, 0.75], "speed": [30000, 310], "build": ["new", "new"]}}}
        written = run.with_tables(TABLE, tables, "page")
        self.assertIn("| **Ours**, trained | **82.2 ± 0.8** | 30,000; 310 | | new |", written)
        self.assertIn("| theirs | 70.0 | 5 | | |", written)
        self.assertTrue(written.endswith("| **Ours**, trained | 81.0 |\n"))

    def test_figures_of_other_columns_keep_their_build(self):
        tables = {"one": {"Ours, trained": {"@1": [82.25, 0.75], "build": ["new"]}}}
        once = run.with_tables(TABLE, tables, "page")
        self.assertIn("| new, else old |", once)
        self.assertEqual(run.with_tables(once, tables, "page"), once)

    def test_a_row_without_all_figures_keeps_those_it_has(self):
        read = run.Reading("r", (("one", "Ours, trained", {"@1": "acc_1 sd_1"}),), "")
        with mock.patch.object(run, "ROWS", [run.Row("n", "s", 1, "c", (read,))]):
            self.assertEqual(run.with_tables(TABLE, run.cells([found(82)]), "page"), TABLE)
            self.assertIn("82.0 ± 1.0", run.with_tables(TABLE, run.cells([found(82), found(1, "sd_1")]), "page"))

    def test_errors_name_the_table(self):
        for tables in ({"one": {"lost": {"@1": [1]}}}, {"one": {"theirs": {"lost": [1]}}}, {"one": {"theirs": {"@1": [1, 2]}}}):
            with self.assertRaisesRegex(ValueError, "page: table one"):
                run.with_tables(TABLE, tables, "page")

    def test_the_pages_have_every_row_and_column(self):
        results = [
            found(1, metric, reading.row, section=row.section)
            for row in run.ROWS
            for reading in row.readings
            for metric in set(reading.paths) or set(run.re.compile(reading.pattern).groupindex)
        ]
        pages = [page.read_text() for page in run.PAGES]
        tables = run.cells(results)
        for name in tables:
            self.assertEqual(sum(f"<!-- table {name} -->" in page for page in pages), 1, name)
        for page in pages:
            run.with_tables(page, tables, "page")
        headings = {line.lstrip("# ") for line in pages[1].splitlines() if line.startswith("#")}
        self.assertLessEqual({row.section for row in run.ROWS}, headings)


if __name__ == "__main__":
    unittest.main()
