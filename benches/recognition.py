"""Recognition of mentions: BINDER (`task.kind = "recognize"`) and the baseline (`task.kind = "tag"`) on public corpora.

    python3 benches/recognition.py --data DIR --encoder MODEL --out RUNS [--only SET …] [--system recognize tag]
        [--epochs N] [--set KEY=VALUE …] [--truename PATH]

Trains each system on each set with the same schedule, and scores it by `truename evaluate mentions`: strict F1. A row that is there already
(RUNS/SET-SYSTEM.json) is not run again. The sources of the data stand in benches/data.md.

Rows of several types whose mentions are read here (GENIA, JNLPBA) also have the F1 of bounds alone, and how many of the gold mentions that
overlap another one are found, for a model of nested mentions also where it keeps no overlaps (`recognize --flat`).
"""

import argparse
import gzip
import json
import re
import subprocess
import time
from pathlib import Path

CHEMICAL = "names of chemicals and drugs: compounds, elements, ions, trade names and abbreviations of substances, such as aspirin, lithium or 5-FU"
DISEASE = "names of diseases, disorders, symptoms and injuries, such as fever, hypertension or cardiac arrest"
GENE = "names of genes, proteins and their families, such as p53, insulin receptor or MAP kinase"
JNLPBA = {
    "DNA": "names of DNA: genes, promoters, domains, regions and sequences, such as IL-2 gene or kappa B site",
    "RNA": "names of RNA: messenger RNA, transcripts and their regions, such as c-fos mRNA",
    "cell_line": "names of cell lines and cultured cells, such as Jurkat or HeLa cells",
    "cell_type": "names of types of cells and tissues in organisms, such as T lymphocytes or monocytes",
    "protein": "names of proteins, complexes, families and domains of proteins, such as NF-kappa B or interleukin-2",
}


def main():
    arguments = parse()
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    print(f"{'set':16}{'system':12}{'precision':>10}{'recall':>10}{'F1':>10}{'minutes':>10}  part", flush=True)
    for name, data in sets(Path(arguments.data), out, arguments.truename):
        if arguments.only and name not in arguments.only:
            continue
        for system in arguments.system:
            row = measured(arguments, out, name, data(), system)
            scores = [100 * row[key] for key in ["precision", "recall", "f1"]]
            print(f"{name:16}{system:12}" + "".join(f"{score:10.2f}" for score in scores), end="")
            print(f"{row['seconds'] / 60:10.1f}  {row['part']}, {row['epochs']} epochs", end="")
            if "bounds" in row:
                overlapping, found = row["overlapping"]
                print(f", bounds {100 * row['bounds']:.2f}, overlapping {found} of {overlapping}", end="")
            if "overlapping_flat" in row:
                print(f", flat {row['overlapping_flat'][1]}", end="")
            print(flush=True)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--system", nargs="*", default=["recognize", "tag"])
    parser.add_argument("--epochs", type=int, help="in place of those of each set")
    parser.add_argument("--set", nargs="*", default=[])
    parser.add_argument("--truename", default="truename")
    return parser.parse_args()


def sets(data, out, truename):
    """Each set with a function that makes its files: the parts, the types, the epochs, and whether mentions never overlap."""
    blurb = data / "blurb-ner"

    def iob(folder, types, parts, epochs):
        files = {part: str(blurb / folder / f"{file}.tsv.gz") for part, file in parts.items()}
        return {"files": files, "types": types, "epochs": epochs}

    with_test = {"train": "train", "dev": "devel", "test": "test"}
    # The test parts of BC5CDR are not public here: a tenth of train chooses the weights, and the development part is reported.
    without = {"train": "train", "test": "devel"}
    yield "NCBI", lambda: iob("NCBI-disease-IOB", {"Disease": DISEASE}, with_test, 6)
    yield "BC5-chem", lambda: iob("BC5CDR-chem-IOB", {"Chemical": CHEMICAL}, without, 6)
    yield "BC5-disease", lambda: iob("BC5CDR-disease-IOB", {"Disease": DISEASE}, without, 6)
    yield "BC2GM", lambda: iob("BC2GM-IOB", {"GENE": GENE}, with_test, 2)
    yield "JNLPBA", lambda: jnlpba(blurb / "JNLPBA", out)
    bc5cdr = data / "bc5cdr"
    yield "BC5CDR", lambda: {
        "files": {
            "train": str(bc5cdr / "CDR_TrainingSet.PubTator.txt.gz"),
            "test": str(bc5cdr / "CDR_DevelopmentSet.PubTator.txt.gz"),
        },
        "types": {"Chemical": CHEMICAL, "Disease": DISEASE},
        "epochs": 6,
    }
    yield "GENIA", lambda: genia(data / "genia-nested", out)
    yield "distant", lambda: distant(data, out, truename)


def measured(arguments, out, name, data, system):
    """Trains a system and scores it, unless its row is there."""
    row_file = out / f"{name}-{system}.json"
    if row_file.exists():
        return json.loads(row_file.read_text())
    files, run = data["files"], out / f"{name}-{system}"
    epochs = arguments.epochs or data["epochs"]
    recipe = out / f"{name}-{system}.toml"
    types = "".join(f"{json.dumps(kind)} = {json.dumps(text)}\n" for kind, text in data["types"].items())
    dev = f"dev = [{json.dumps(files['dev'])}]\n" if "dev" in files else "dev_share = 0.1\n"
    recipe.write_text(
        f"[task]\nkind = \"{system}\"\n[data]\ntrain = [{json.dumps(files['train'])}]\n{dev}[types]\n{types}"
        f"[schedule]\nepochs = {epochs}\nlearning_rate = 3e-4\n"
    )
    settings = [f"text.flat={json.dumps(data.get('flat', True))}", *arguments.set]
    settings = [part for setting in settings for part in ("--set", setting)]
    begun = time.time()
    call(arguments, ["train", str(recipe), "--encoder", arguments.encoder, "--out", str(run), "--resume", *settings])
    seconds = json.loads((run / "run.json").read_text())["seconds"]
    scores = out / f"{name}-{system}.scores.json"
    call(arguments, ["evaluate", "mentions", "--gold", files["test"], "--recognizer", str(run), "--json", str(scores)])
    report = json.loads(scores.read_text())
    strict = report["mentions"]["strict"]
    row = {key: strict[key] for key in ["precision", "recall", "f1"]}
    row |= {"seconds": seconds, "wall": time.time() - begun, "epochs": epochs, "set": arguments.set}
    row["part"] = "development part" if "BC5" in name or name == "distant" else "test"
    if "gold" in data:
        row["bounds"], row["overlapping"] = bounds(arguments, out, files["test"], data["gold"](), run)
        if not data.get("flat", True):
            _, row["overlapping_flat"] = bounds(arguments, out, files["test"], data["gold"](), run, "--flat")
    row["types"] = {kind: of_type["mentions"]["strict"]["f1"] for kind, of_type in report["types"].items()}
    row_file.write_text(json.dumps(row, indent=1))
    return row


def bounds(arguments, out, test, gold, run, *flags):
    """F1 where types do not count; the number of gold mentions that overlap another one, and how many of these are found with their type.

    `gold` has the spans of each document, with types, by the document's text."""
    target = out / "found.jsonl"
    call(arguments, ["recognize", test, "--recognizer", str(run), "--format", "jsonl", "--out", str(target), *flags])
    untyped = lambda mentions: {mention[:2] for mention in mentions}
    right = all_found = all_gold = overlapping = overlapping_found = 0
    for document in map(json.loads, target.open()):
        mentions = gold[document["text"]]
        found = {(mention["start"], mention["end"], mention["types"][0]) for mention in document["mentions"]}
        right += len(untyped(mentions) & untyped(found))
        all_found, all_gold = all_found + len(untyped(found)), all_gold + len(untyped(mentions))
        for one in mentions:
            if any(one != other and one[0] < other[1] and other[0] < one[1] for other in mentions):
                overlapping += 1
                overlapping_found += one in found
    return 2 * right / (all_found + all_gold), (overlapping, overlapping_found)


def call(arguments, command):
    subprocess.run([arguments.truename, "-q", *command], check=True, stdout=subprocess.DEVNULL)


def letters(text):
    return re.sub(r"\s", "", text)


def jnlpba(folder, out):
    """The abstracts of JNLPBA as brat, those of the development part apart: they are found by their letters."""
    target = out / "JNLPBA-data"
    if not target.exists():
        with gzip.open(folder / "devel.tsv.gz", "rt") as lines:
            devel = letters("".join(line.split("\t")[0] for line in lines if not line.startswith("-DOCSTART-")))
        unpacked = out / "JNLPBA-standoff"
        unpacked.mkdir(exist_ok=True)
        subprocess.run(["tar", "--zstd", "-xf", folder / "standoff.tar.zst", "-C", unpacked], check=True)
        for text in sorted(unpacked.rglob("*.txt")):
            part = text.parent.name
            if part == "train" and letters(text.read_text())[:80] in devel:
                part = "dev"
            (target / part).mkdir(parents=True, exist_ok=True)
            for file in [text, text.with_suffix(".ann")]:
                (target / part / file.name).write_bytes(file.read_bytes())
    files = {part: str(target / part) for part in ["train", "dev", "test"]}
    return {"files": files, "types": JNLPBA, "epochs": 1, "gold": lambda: brat(target / "test")}


def brat(folder):
    """The mentions of each document of a folder, by its text."""
    gold = {}
    for text in folder.glob("*.txt"):
        rows = [line.split("\t")[1].split() for line in text.with_suffix(".ann").read_text().splitlines() if line.startswith("T")]
        gold[text.read_text()] = {(int(start), int(end), kind) for kind, start, end in rows}
    return gold


def genia(folder, out):
    """GENIA's nested mentions: per-type files laid together for training, IOB2 with a column a level for the scores."""
    target = out / "GENIA-train.jsonl"
    if not target.exists():
        layers = [list(conll(layer)) for layer in sorted((folder / "per-type").glob("*_train.conll*"))]
        with target.open("w") as file:
            for number, (text, mentions) in enumerate(laid_together(layers)):
                mentions = [{"start": start, "end": end, "type": kind, "text": text[start:end]} for start, end, kind in sorted(mentions)]
                file.write(json.dumps({"id": str(number), "text": text, "mentions": mentions}) + "\n")
    files = {"train": str(target), "dev": str(folder / "genia.dev.iob2.gz"), "test": str(folder / "genia.test.iob2.gz")}
    gold = lambda: dict(laid_together(list(conll(Path(files["test"]), level)) for level in range(1, 5)))
    return {"files": files, "types": genia_types(target), "epochs": 2, "flat": False, "gold": gold}


def laid_together(layers):
    """The text of each sentence, and the mentions of all its layers of tags."""
    for layers in zip(*layers, strict=True):
        tokens = [token for token, _ in layers[0]]
        assert all([token for token, _ in layer] == tokens for layer in layers)
        starts = [sum(len(token) + 1 for token in tokens[:place]) for place in range(len(tokens))]
        found = [span for layer in layers for span in spans([tag for _, tag in layer])]
        yield " ".join(tokens), {(starts[first], starts[last] + len(tokens[last]), kind) for first, last, kind in found}


def distant(data, out, truename):
    """BC5CDR's text with labels by AutoNER's dictionaries alone; the weights are chosen by such labels too."""
    target = out / "distant"
    if not target.exists():
        target.mkdir()
        folder = data / "bc5cdr-distant"
        core = [line.rstrip("\n").split("\t") for line in (folder / "dict_core.txt").open() if line.strip()]
        known = {name.strip().lower() for _, name in core}
        full = [line.strip() for line in (folder / "dict_full.txt").open() if line.strip()]
        rows = core + [("unknown", name) for name in full if name.lower() not in known]
        table = target / "dictionary.tsv"
        lines = [f"{number}\t{name.strip()}\t{kind}\n" for number, (kind, name) in enumerate(rows, 1)]
        table.write_text("id\tname\ttype\n" + "".join(lines))
        run = lambda *command: subprocess.run([truename, "-q", *command], check=True)
        run("kb", "import", table, "--out", target / "kb")
        for part, file in [("train", "CDR_TrainingSet"), ("dev", "CDR_DevelopmentSet")]:
            text = data / "bc5cdr" / f"{file}.PubTator.txt.gz"
            run("annotate", text, "--kb", target / "kb", "--no-abbreviations", "--format", "jsonl", "--out", target / f"{part}.jsonl")
        scores = target / "dictionary.json"
        gold = data / "bc5cdr" / "CDR_DevelopmentSet.PubTator.txt.gz"
        with (target / "dictionary.txt").open("w") as report:
            command = ["evaluate", "mentions", "--gold", gold, "--found", target / "dev.jsonl", "--json", scores]
            subprocess.run([truename, "-q", *command], check=True, stdout=report)
    files = {part: str(target / f"{part}.jsonl") for part in ["train", "dev"]}
    files["test"] = str(data / "bc5cdr" / "CDR_DevelopmentSet.PubTator.txt.gz")
    return {"files": files, "types": {"Chemical": CHEMICAL, "Disease": DISEASE}, "epochs": 4}


def genia_types(file):
    """The descriptions by the names that the corpus uses."""
    names = {mention["type"] for line in file.open() for mention in json.loads(line)["mentions"]}
    key = lambda name: name.lower().replace("_", "")
    described = {key(name): text for name, text in JNLPBA.items()}
    return {name: described[key(name)] for name in sorted(names)}


def conll(path, column=-1):
    """The sentences of a file: tokens with the tags of a column."""
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else path.open()
    sentence = []
    with opened as lines:
        for line in lines:
            columns = line.split()
            if columns:
                sentence.append((columns[0], columns[column]))
            elif sentence:
                yield sentence
                sentence = []
    if sentence:
        yield sentence


def spans(tags):
    """The mentions of IOB2 tags: first and last token, type."""
    first, kind = None, None
    for place, tag in enumerate([*tags, "O"]):
        if first is not None and tag != f"I-{kind}":
            yield first, place - 1, kind
            first = None
        if tag.startswith("B-"):
            first, kind = place, tag[2:]


if __name__ == "__main__":
    main()
