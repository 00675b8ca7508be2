#!/usr/bin/env python3
"""Matches a pandas column by the PyPI package `reconciler` against a running `truename serve`.

    pip install reconciler==0.2.2 pandas
    python3 scripts/conformance/reconciler_client.py http://127.0.0.1:8751

Exit code 1 if an id or a decision differs from the table below.
"""

import sys

import numpy
import pandas

numpy.NaN = numpy.nan  # reconciler 0.2.2 uses the name that numpy 2 dropped
import reconciler  # noqa: E402

# Ids of the bundled knowledge base (MeSH). None: no candidate may be a match.
EXPECTED = {
    "Myocardial Infarction": "D009203",
    "heart attack": "D009203",
    "type 2 diabetes": "D003924",
    "Alzheimer Disease": "D000544",
    "Hypertension": "D006973",
    "Tuberculosis": "D014376",
    "Breast Neoplasms": "D001943",
    "Cystic fibrosis": "D003550",
    "Asthma": "D001249",
    "Aspirin": "D001241",
    "Ibuprofen": "D007052",
    "flat tyre on the motorway": None,
}
# With `type_id="disease"` no candidate is a chemical alone.
CHEMICALS = {"Aspirin", "Ibuprofen"}


def differences(frame, expected):
    matched = frame[frame["match"] == True].set_index("input_value")["id"].to_dict()  # noqa: E712
    for name, identifier in expected.items():
        if matched.get(name) != identifier:
            yield f"{name!r}: matched {matched.get(name)}, expected {identifier}"
    if missing := set(expected) - set(frame["input_value"]):
        yield f"no row for {missing}"


def main():
    endpoint = sys.argv[1].rstrip("/") + "/reconcile/0.2"
    # The package asks once for a repeated value, in batches of ten.
    column = pandas.DataFrame({"name": list(EXPECTED) * 2})["name"]
    every = reconciler.reconcile(column, top_res="all", reconciliation_endpoint=endpoint)
    failures = list(differences(every, EXPECTED))
    diseases = reconciler.reconcile(column, type_id="disease", reconciliation_endpoint=endpoint)
    wanted = {name: None if name in CHEMICALS else identifier for name, identifier in EXPECTED.items()}
    failures += [f"with a type: {failure}" for failure in differences(diseases, wanted)]
    print("\n".join(failures + [f"{len(EXPECTED)} values, {len(every)} candidates"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
