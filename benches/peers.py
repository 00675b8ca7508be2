#!/usr/bin/env python3
"""Runs other programs on the cases that `truename-bench ... --dump DIR` wrote, and on a million names.

    pip install gilda==1.6.1 rapidfuzz==3.14.6 scikit-learn==1.9.1
    python3 benches/peers.py accuracy DIR        # every case in DIR, cases NAME-0, NAME-1, ... taken together
    python3 benches/peers.py scale KB.jsonl      # names a second, one thread
    pip install spacy==3.8.18 pyahocorasick==2.3.1
    python3 benches/peers.py link DIR [--json FILE]    # names looked for in documents, one thread

No program is trained but the ensemble: the sum of trigram Jaccard, Levenshtein and Jaro-Winkler similarity with weights from a grid, the best
on 300 names of the knowledge base that are asked for among the others (as USC-ISI's tuned combination, the baseline of NSEEN). Gilda uses its own matching, rapidfuzz a scan with each of two scorers, scikit-learn TF-IDF over
character n-grams (char_wb, 2 to 3, binary; the best of those tried).

`link` reads from DIR `names.tsv` (id, name, 1 where the concept prefers it), `documents.jsonl` (id, text, passages,
mentions; positions count characters) and, if present, `xrefs.tsv` (id, another id of that concept). Each program runs in
a process of its own, on one passage at a time. Counts are over all documents together:
- mention: a found mention is right if a gold mention has the same start and end, of any type;
- end to end: it is right if that gold mention also has the id. Recall is over gold mentions with an id;
- given gold: the share of gold mentions with an id whose text alone, without the document, gets that id.
A concept has the id if its own id, or one of xrefs.tsv, is among the mention's ids. A composite mention has several ids.
`OMIM:1` and `1` are the same id.
"""

import collections
import concurrent.futures
import importlib
import importlib.metadata
import json
import multiprocessing
import os
import platform
import random
import re
import resource
import sys
import tempfile
import time

os.environ.setdefault("PYSTOW_HOME", tempfile.mkdtemp())  # where Gilda would make a folder

import gilda.ner
import numpy
from gilda.process import normalize
from rapidfuzz import fuzz, process, utils
from rapidfuzz.distance import JaroWinkler, Levenshtein
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

DEPTHS = (1, 3, 5)
PACKAGES = ("spacy", "pyahocorasick", "gilda")
QUICK_SECONDS, LONGEST_SECONDS = 30, 300  # tagging: under the first it is done three times, at the second it is ended


def tfidf(names):
    plain = lambda text: " ".join(re.sub(r"[\W_]+", " ", text.lower()).split()) or text
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3), preprocessor=plain, binary=True)
    matrix = vectorizer.fit_transform(names)
    return lambda queries: (vectorizer.transform(queries) @ matrix.T).toarray()


def rapidfuzz_by(scorer):
    return lambda names: lambda queries: process.cdist(
        queries, names, scorer=scorer, processor=utils.default_process, workers=1, dtype=numpy.float32
    )


def trigrams(names):
    plain = lambda text: " ".join(utils.default_process(text).split()) or text
    vectorizer = CountVectorizer(analyzer="char_wb", ngram_range=(3, 3), preprocessor=plain, binary=True, dtype=numpy.float32)
    matrix = vectorizer.fit_transform(names)
    sizes = numpy.asarray(matrix.sum(axis=1)).ravel()

    def jaccard(queries):
        asked = vectorizer.transform(queries)
        shared = (asked @ matrix.T).toarray()
        return shared / numpy.maximum(numpy.asarray(asked.sum(axis=1)) + sizes - shared, 1)

    return jaccard


MEASURES = [
    trigrams,
    rapidfuzz_by(Levenshtein.normalized_similarity),
    rapidfuzz_by(JaroWinkler.normalized_similarity),
]
WEIGHTS = [(one, other, 4 - one - other) for one in range(5) for other in range(5 - one)]  # quarters


def ranked_by_ensemble(pairs, queries):
    concepts = collections.Counter(identifier for identifier, _ in pairs)
    held_out = [at for at, (identifier, _) in enumerate(pairs) if concepts[identifier] > 1]
    held_out = random.Random(0).sample(held_out, min(300, len(held_out)))
    measures = [make([name for _, name in pairs]) for make in MEASURES]
    asked = [measure([pairs[at][1] for at in held_out]) for measure in measures]
    owners = numpy.unique([identifier for identifier, _ in pairs], return_inverse=True)[1]

    def right(weights):
        scores = sum(weight * part for weight, part in zip(weights, asked))
        for row, at in enumerate(held_out):
            scores[row, at] = -1
        return (owners[scores.argmax(axis=1)] == owners[held_out]).sum() if held_out else 0

    weights = max(WEIGHTS, key=right)
    make = lambda _: lambda queries: sum(weight * measure(queries) for weight, measure in zip(weights, measures))
    return ranked_by_scores(make)(pairs, queries)


def grounder(pairs):
    first = {}
    terms = []
    for identifier, name in pairs:
        first.setdefault(identifier, name)
        if normalize(name).strip():
            status = "name" if first[identifier] == name else "synonym"
            terms.append(gilda.Term(normalize(name), name, "KB", identifier, first[identifier], status, "KB"))
    return gilda.make_grounder(terms)


def ranked_by_scores(make):
    def rank(pairs, queries):
        score = make([name for _, name in pairs])
        for start in range(0, len(queries), 200):
            for row in score(queries[start : start + 200]):
                order = numpy.argsort(-row, kind="stable")[:200]
                yield list(dict.fromkeys(pairs[at][0] for at in order if row[at] > 0))[: DEPTHS[-1]]

    return rank


def ranked_by_gilda(pairs, queries):
    found = grounder(pairs)
    for query in queries:
        yield [match.term.id for match in found.ground(query)]


PEERS = {
    "scikit-learn TF-IDF": ranked_by_scores(tfidf),
    "rapidfuzz WRatio": ranked_by_scores(rapidfuzz_by(fuzz.WRatio)),
    "rapidfuzz Jaro-Winkler": ranked_by_scores(rapidfuzz_by(JaroWinkler.normalized_similarity)),
    "ensemble, tuned": ranked_by_ensemble,
    "Gilda": ranked_by_gilda,
}


def rows(path):
    with open(path, encoding="utf-8") as file:
        return [tuple(line.rstrip("\n").split("\t")) for line in file]


def accuracy(folder):
    cases = collections.defaultdict(list)
    for name in sorted(os.listdir(folder)):
        cases[name.rsplit("-", 1)[0]].append(os.path.join(folder, name))
    for title, parts in cases.items():
        loaded = [(rows(os.path.join(part, "kb.tsv")), rows(os.path.join(part, "gold.tsv"))) for part in parts]
        asked = sum(len(gold) for _, gold in loaded)
        print(f"{title}: {asked} names\n{'':24} acc@1  acc@3  acc@5  seconds")
        for peer, rank in PEERS.items():
            start, hits = time.time(), [0, 0, 0]
            for pairs, gold in loaded:
                names = list(dict.fromkeys(name for name, _ in gold))  # a corpus repeats its mentions
                found = dict(zip(names, rank(pairs, names)))
                for name, ids in gold:
                    for at, depth in enumerate(DEPTHS):
                        hits[at] += bool(ids) and any(one in ids.split("|") for one in found[name][:depth])
            shares = " ".join(f"{100 * count / asked:6.2f}" for count in hits)
            print(f"{peer:24}{shares} {time.time() - start:8.1f}", flush=True)


def scale(path):
    pairs = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            concept = json.loads(line)
            pairs += [(concept["id"], name) for name in [concept["name"], *concept["synonyms"]]]
    names = [name for _, name in pairs]
    step = len(names) // 2000
    sample = [name[: len(name) // 2] + name[len(name) // 2 + 1 :] for name in names[::step]]
    print(f"{len(names)} names; queries with a letter left out, but for Gilda, which needs the very name")
    for peer, make, count in (
        ("scikit-learn TF-IDF", tfidf, 50),
        ("rapidfuzz WRatio", rapidfuzz_by(fuzz.WRatio), 10),
        ("rapidfuzz Jaro-Winkler", rapidfuzz_by(JaroWinkler.normalized_similarity), 20),
    ):
        start = time.time()
        score = make(names)
        built = time.time() - start
        start = time.time()
        for query in sample[:count]:
            score([query]).argmax()
        print(f"{peer:24} built in {built:6.1f} s, {count / (time.time() - start):10.1f} names/s", flush=True)
    start = time.time()
    found = grounder(pairs)
    built = time.time() - start
    start = time.time()
    for name in names[::step]:
        found.ground(name)
    print(f"{'Gilda':24} built in {built:6.1f} s, {len(names[::step]) / (time.time() - start):10.1f} names/s")


def dictionary(names):
    """Lower-cased name: concept and spelling. Of several concepts the one that prefers the name, then the first id."""
    first = {}
    for identifier, name, _ in sorted(names, key=lambda row: (row[2] != "1", row[0])):
        if name.strip():
            first.setdefault(name.strip().lower(), (identifier, name.strip()))
    return first


def looked_up(first):
    return lambda text: first.get(text.lower(), (None,))[0]


def phrase_matcher(names):
    """spacy.blank("en"), which only splits into words; one key a concept; the longest of what overlaps."""
    import spacy

    first = dictionary(names)
    spellings = collections.defaultdict(list)
    for identifier, name in first.values():
        spellings[identifier].append(name)
    pipeline = spacy.blank("en")
    matcher = spacy.matcher.PhraseMatcher(pipeline.vocab, attr="LOWER")
    for identifier, known in spellings.items():
        matcher.add(identifier, list(pipeline.tokenizer.pipe(known)))

    def tag(text):
        for span in spacy.util.filter_spans(matcher(pipeline(text), as_spans=True)):
            yield span.start_char, span.end_char, span.label_

    return tag, looked_up(first)


def entity_ruler(names):
    """spacy.blank("en") with the pipe entity_ruler; each name a phrase pattern. It keeps the longest by itself."""
    import spacy

    first = dictionary(names)
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
    ruler.add_patterns([{"label": "KB", "pattern": name, "id": identifier} for identifier, name in first.values()])

    def tag(text):
        for span in pipeline(text).ents:
            yield span.start_char, span.end_char, span.ent_id_

    return tag, looked_up(first)


def aho_corasick(names):
    """Lower-cased names in ahocorasick.Automaton; of all it finds, those that cut no word, leftmost and longest."""
    import ahocorasick

    first = dictionary(names)
    automaton = ahocorasick.Automaton()
    for lowered, (identifier, _) in first.items():
        automaton.add_word(lowered, (len(lowered), identifier))
    automaton.make_automaton()

    def tag(text):
        lowered = text.lower()
        if len(lowered) != len(text):  # a few letters become two
            lowered = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
        cuts = lambda at: 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()
        found = []
        for last, (length, identifier) in automaton.iter(lowered):
            if not cuts(last + 1) and not cuts(last + 1 - length):
                found.append((last + 1 - length, -length, identifier))
        free = 0
        for start, length, identifier in sorted(found):
            if start >= free:
                free = start - length
                yield start, free, identifier

    return tag, looked_up(first)


def gilda_annotate(names):
    """gilda.ner.annotate with a Grounder of these names; all it does besides (stop words, plurals, ...) is its own."""
    pairs = sorted(names, key=lambda row: (row[0], row[2] != "1"))  # the first name of a concept is its own one
    known = grounder([(identifier, name) for identifier, name, _ in pairs])
    known.gilda_disambiguators = {}  # else it downloads models, which choose among the terms Gilda comes with

    def tag(text):
        for found in gilda.ner.annotate(text, grounder=known):
            yield found.start, found.end, found.matches[0].term.id

    return tag, lambda text: next((match.term.id for match in known.ground(text)), None)


LINKERS = {
    "spaCy PhraseMatcher": ("spacy", phrase_matcher),
    "spaCy EntityRuler": ("spacy", entity_ruler),
    "pyahocorasick": ("ahocorasick", aho_corasick),
    "Gilda annotate": ("gilda", gilda_annotate),
}


def same_id(one, other):
    if ":" in one and ":" in other:
        one, other = (prefix.lower() + ":" + local for prefix, local in (one.split(":", 1), other.split(":", 1)))
        return one == other
    return one.split(":", 1)[-1] == other.split(":", 1)[-1]


def gold_mentions(document):
    """Start and end, and the ids; none where the concept is not known, which BC5CDR writes -1."""
    for mention in document.get("mentions", ()):
        ids = {one.strip() for one in re.split(r"[|+,;]", mention.get("id") or "")} - {"", "-", "-1"}
        yield (mention["start"], mention["end"]), ids


def tagged(tag, documents):
    """The spans of each document and the seconds it took; fewer documents where they take too long."""
    start, found = time.perf_counter(), []
    for document in documents:
        spans = {}
        for passage in document.get("passages") or [{"start": 0, "end": len(document["text"])}]:
            for first, last, identifier in tag(document["text"][passage["start"] : passage["end"]]):
                spans[passage["start"] + first, passage["start"] + last] = identifier
        found.append(spans)
        if time.perf_counter() - start > LONGEST_SECONDS:
            break
    return found, time.perf_counter() - start


def percent(part, whole):
    return 100 * part / whole if whole else 0.0


def scores(right, found, recalled, gold):
    """In percent; `right` of what is found, `recalled` of the gold mentions, two of which may share their place."""
    precision, recall = percent(right, found), percent(recalled, gold)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}


def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_linker(peer, folder):
    names = rows(os.path.join(folder, "names.tsv"))
    with open(os.path.join(folder, "documents.jsonl"), encoding="utf-8") as file:
        documents = [json.loads(line) for line in file]
    others = collections.defaultdict(list)
    if os.path.exists(os.path.join(folder, "xrefs.tsv")):
        for identifier, other in rows(os.path.join(folder, "xrefs.tsv")):
            others[identifier].append(other)
    module, make = LINKERS[peer]
    importlib.import_module(module)
    before, start = peak_mib(), time.perf_counter()
    tag, ground = make(names)
    built = time.perf_counter() - start
    found, seconds = tagged(tag, documents)
    if seconds < QUICK_SECONDS:
        seconds = min(seconds, *(tagged(tag, documents)[1] for _ in range(2)))
    peak = peak_mib()

    def is_one_of(identifier, ids):
        own = (identifier, *others.get(identifier, ())) if identifier else ()
        return any(same_id(one, other) for one in own for other in ids)

    count = collections.Counter()
    for document, spans in zip(documents, found):
        gold = list(gold_mentions(document))
        matched = [span for span, _ in gold if span in spans]
        linked = [span for span, ids in gold if is_one_of(spans.get(span), ids)]
        count["found"] += len(spans)
        count["gold"] += len(gold)
        count["with id"] += sum(bool(ids) for _, ids in gold)
        count["right"] += len(set(matched))
        count["recalled"] += len(matched)
        count["right, linked"] += len(set(linked))
        count["recalled, linked"] += len(linked)
        count["given"] += sum(is_one_of(ground(document["text"][slice(*span)]), ids) for span, ids in gold if ids)
    return {
        "peer": peer,
        "names": len(names),
        "concepts": len({row[0] for row in names}),
        "all_documents": len(documents),
        "documents": len(found),
        "gold_mentions": count["gold"],
        "gold_mentions_with_id": count["with id"],
        "found_mentions": count["found"],
        "build_seconds": built,
        "peak_mib": peak,
        "peak_mib_before_build": before,
        "documents_per_second": len(found) / seconds,
        "mention": scores(count["right"], count["found"], count["recalled"], count["gold"]),
        "end_to_end": scores(
            count["right, linked"], count["found"], count["recalled, linked"], count["with id"]
        ),
        "given_gold_accuracy": percent(count["given"], count["with id"]),
    }


def link(folder, *options):
    if options and (len(options) != 2 or options[0] != "--json"):
        sys.exit("usage: peers.py link DIR [--json FILE]")
    versions = {"python": platform.python_version()} | {name: importlib.metadata.version(name) for name in PACKAGES}
    print(", ".join(f"{name} {version}" for name, version in versions.items()))
    measured = []
    for peer in LINKERS:
        # A process each, and nothing read here: what this process holds would count as the peer's memory.
        with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process_of_peer:
            figures = process_of_peer.submit(measure_linker, peer, folder).result()
        if not measured:
            print("{names} names of {concepts} concepts, {all_documents} documents".format_map(figures), end="")
            print(", {gold_mentions} mentions, {gold_mentions_with_id} with an id".format_map(figures))
            print("{:23} MiB: peak, and before the build; P, R, F1 and accuracy in percent".format(""))
            print(f"{'':23}{'':>8}{'':>7}{'':>7}{'':>9} |{'mention':^21} |{'end to end':^21} | given")
            print(f"{'':23}{'build s':>8}{'MiB':>7}{'before':>7}{'docs/s':>9} |", end="")
            print(f"{'P':>7}{'R':>7}{'F1':>7} |{'P':>7}{'R':>7}{'F1':>7} |  gold")
        measured.append(figures)
        shares = [f"{value:7.2f}" for part in ("mention", "end_to_end") for value in figures[part].values()]
        print(f"{peer:23}{figures['build_seconds']:8.1f}{figures['peak_mib']:7.0f}", end="")
        print(f"{figures['peak_mib_before_build']:7.0f}{figures['documents_per_second']:9.1f} |", end="")
        print(f"{''.join(shares[:3])} |{''.join(shares[3:])} |{figures['given_gold_accuracy']:6.2f}", end="")
        some = figures["documents"] < figures["all_documents"]
        print(f"  first {figures['documents']} documents only" if some else "", flush=True)
    if options:
        with open(options[1], "w", encoding="utf-8") as file:
            json.dump({"versions": versions, "peers": measured}, file, indent=2)


if __name__ == "__main__":
    {"accuracy": accuracy, "scale": scale, "link": link}[sys.argv[1]](*sys.argv[2:])
