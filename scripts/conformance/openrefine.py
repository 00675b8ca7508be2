#!/usr/bin/env python3
"""Reconciles a column of disease names in OpenRefine, headless, against a running `truename serve`.

    python3 scripts/conformance/openrefine.py http://127.0.0.1:8751

Needs OpenRefine 3.6.2 (Debian's package `openrefine`). Starts it on a free port with 512 MB and a data folder of its
own, and drives it by the HTTP commands that its page uses: a project from a table, the service added to the list of
services, types guessed from the column, the column reconciled, rows exported with the matched ids, a property of the
matched concepts fetched into a column. Exit code 1 if an id differs from the table below.
"""

import contextlib
import http.cookiejar
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
import uuid

OPENREFINE = pathlib.Path("/usr/share/openrefine")
MEMORY = "512M"
START_SECONDS = 60
RECONCILE_SECONDS = 60
ENGINE = json.dumps({"facets": [], "mode": "row-based"})

# Ids of the bundled knowledge base (MeSH). None: OpenRefine must leave the cell without a match.
EXPECTED = {
    "Myocardial Infarction": "D009203",
    "heart attack": "D009203",
    "Diabetes Mellitus, Type 2": "D003924",
    "type 2 diabetes": "D003924",
    "Alzheimer Disease": "D000544",
    "Parkinson's disease": "D010300",
    "Rheumatoid arthritis": "D001172",
    "Hypertension": "D006973",
    "Tuberculosis": "D014376",
    "Breast Neoplasms": "D001943",
    "Cystic fibrosis": "D003550",
    "migraine disorders": "D008881",
    "flat tyre on the motorway": None,
}
# The same for a column that is reconciled as of the type `chemical`.
CHEMICALS = {"Aspirin": "D001241", "Ibuprofen": "D007052", "Myocardial Infarction": None}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class OpenRefine:
    """OpenRefine's HTTP commands, on a process that `started` runs."""

    def __init__(self, port):
        self.root = f"http://127.0.0.1:{port}"
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        )

    def get(self, command, **parameters):
        url = f"{self.root}/command/core/{command}?{urllib.parse.urlencode(parameters)}"
        with self.opener.open(url, timeout=30) as response:
            return json.load(response)

    def token(self):
        return self.get("get-csrf-token")["token"]

    def post_raw(self, command, form):
        form = {"csrf_token": self.token(), **form}
        request = urllib.request.Request(
            f"{self.root}/command/core/{command}", data=urllib.parse.urlencode(form).encode()
        )
        with self.opener.open(request, timeout=60) as response:
            return response.read().decode()

    def post(self, command, **form):
        answer = json.loads(self.post_raw(command, form))
        if isinstance(answer, dict) and answer.get("code") == "error":
            raise RuntimeError(f"{command}: {answer.get('message') or answer}")
        return answer

    def create_project(self, name, table):
        boundary = uuid.uuid4().hex
        options = {"encoding": "UTF-8", "separator": "\t", "headerLines": 1, "guessCellValueTypes": False}
        fields = {"project-name": name, "format": "text/line-based/*sv", "options": json.dumps(options)}
        body = "".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
            for key, value in fields.items()
        )
        body += (
            f'--{boundary}\r\nContent-Disposition: form-data; name="project-file"; filename="names.tsv"\r\n'
            f"Content-Type: text/tab-separated-values\r\n\r\n{table}\r\n--{boundary}--\r\n"
        )
        request = urllib.request.Request(
            f"{self.root}/command/core/create-project-from-upload?csrf_token={self.token()}",
            data=body.encode(),
            headers={"Content-Type": f"multipart/form-data; boundary={boundary}"},
        )
        # The answer redirects to the project's page, whose address holds the id.
        with self.opener.open(request, timeout=60) as response:
            return urllib.parse.parse_qs(urllib.parse.urlparse(response.url).query)["project"][0]

    def wait_for_processes(self, project):
        deadline = time.monotonic() + RECONCILE_SECONDS
        while processes := self.get("get-processes", project=project)["processes"]:
            if time.monotonic() > deadline:
                raise RuntimeError(f"not finished after {RECONCILE_SECONDS} s: {processes}")
            time.sleep(0.2)

    def rows(self, project):
        text = self.post_raw("export-rows/rows.tsv", {"project": project, "engine": ENGINE, "format": "tsv"})
        header, *lines = text.rstrip("\n").split("\n")
        return [dict(zip(header.split("\t"), line.split("\t"))) for line in lines]

    def add_column(self, project, base, expression, name):
        self.post("add-column", project=project, engine=ENGINE, baseColumnName=base, expression=f"grel:{expression}",
                  newColumnName=name, columnInsertIndex=1, onError="set-to-blank")  # fmt: skip


@contextlib.contextmanager
def started(folder):
    """Runs OpenRefine for the body of a `with` statement."""
    port = free_port()
    log = open(folder / "openrefine.log", "wb")
    command = [OPENREFINE / "refine", "-p", str(port), "-m", MEMORY, "-d", folder / "data", "-x", "refine.headless=true"]
    process = subprocess.Popen(command, cwd=OPENREFINE, stdout=log, stderr=log)
    try:
        openrefine = OpenRefine(port)
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                version = openrefine.get("get-version")["version"]
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    tail = (folder / "openrefine.log").read_text(errors="replace")[-2000:]
                    raise RuntimeError(f"OpenRefine does not answer:\n{tail}") from None
                time.sleep(0.3)
        print(f"OpenRefine {version}")
        yield openrefine
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()


def add_service(openrefine, endpoint):
    """Adds the service as the dialog "Add Standard Service" does: its manifest becomes an entry of a preference."""
    with urllib.request.urlopen(endpoint, timeout=30) as response:
        manifest = json.load(response)
    services = [{**manifest, "url": endpoint, "ui": {"handler": "ReconStandardServicePanel"}}]
    openrefine.post("set-preference", name="reconciliation.standardServices", value=json.dumps(services))
    return manifest


def reconcile(openrefine, endpoint, manifest, project, column_type):
    config = {
        "mode": "standard-service",
        "service": endpoint,
        "identifierSpace": manifest["identifierSpace"],
        "schemaSpace": manifest["schemaSpace"],
        "type": column_type,
        "autoMatch": True,
        "columnDetails": [],
        "limit": 0,
    }
    # An export shows the matched concept's name in a reconciled column; this column keeps the name as it was.
    openrefine.add_column(project, "name", "value", "input")
    openrefine.post("reconcile", project=project, engine=ENGINE, columnName="name", config=json.dumps(config))
    openrefine.wait_for_processes(project)
    openrefine.add_column(project, "name", "if(cell.recon.matched, cell.recon.match.id, '')", "id")
    openrefine.add_column(project, "name", "length(cell.recon.candidates)", "candidates")


def extend(openrefine, endpoint, manifest, project, types):
    """Fetches the first property that the service proposes into a column, by the dialog's commands."""
    proposer = manifest["extend"]["propose_properties"]
    address = proposer["service_url"] + proposer["service_path"]
    with urllib.request.urlopen(f"{address}?{urllib.parse.urlencode({'type': types[0]})}", timeout=30) as response:
        proposed = json.load(response)["properties"]
    wanted = next((item for item in proposed if item["id"] == "synonym"), proposed[0])
    extension = json.dumps({"properties": [wanted]})
    preview = openrefine.post("preview-extend-data", project=project, columnName="name", extension=extension,
                              rowIndices=json.dumps([0, 1]), engine=ENGINE)  # fmt: skip
    if not preview["rows"]:
        raise RuntimeError(f"no rows in the preview of property {wanted['id']}: {preview}")
    openrefine.post("extend-data", project=project, engine=ENGINE, baseColumnName="name", columnInsertIndex=2,
                    endpoint=endpoint, identifierSpace=manifest["identifierSpace"],
                    schemaSpace=manifest["schemaSpace"], extension=extension)  # fmt: skip
    openrefine.wait_for_processes(project)
    return wanted


def differences(rows, table):
    if len(rows) != len(table):
        yield f"{len(rows)} rows exported, expected {len(table)}"
    for row in rows:
        expected, found = table[row["input"]], row.get("id") or None
        if found != expected:
            yield f"{row['input']!r}: OpenRefine matched {found}, expected {expected} ({row['candidates']} candidates)"


def reconcile_as_chemicals(openrefine, endpoint, manifest):
    project = openrefine.create_project("chemicals", "name\n" + "\n".join(CHEMICALS))
    reconcile(openrefine, endpoint, manifest, project, {"id": "chemical", "name": "chemical"})
    return [f"as chemicals: {found}" for found in differences(openrefine.rows(project), CHEMICALS)]


def main():
    endpoint = sys.argv[1].rstrip("/") + "/reconcile/0.2"
    with tempfile.TemporaryDirectory() as folder, started(pathlib.Path(folder)) as openrefine:
        manifest = add_service(openrefine, endpoint)
        project = openrefine.create_project("names", "name\n" + "\n".join(EXPECTED))
        guessed = openrefine.post("guess-types-of-column", project=project, columnName="name", service=endpoint)["types"]
        failures = []
        if not guessed or guessed[0]["id"] != "disease":
            failures.append(f"OpenRefine guesses the types {guessed[:3]}, expected `disease` first")
        column_type = {key: guessed[0][key] for key in ("id", "name")} if guessed else None
        reconcile(openrefine, endpoint, manifest, project, column_type)
        rows = openrefine.rows(project)
        failures.extend(differences(rows, EXPECTED))
        failures.extend(reconcile_as_chemicals(openrefine, endpoint, manifest))
        wanted = extend(openrefine, endpoint, manifest, project, [item["id"] for item in guessed] or ["disease"])
        extended = [row for row in openrefine.rows(project) if row.get(wanted["name"])]
        if not extended:
            failures.append(f"no value of property {wanted['id']} in the extended table")
    for failure in failures:
        print(failure)
    print(f"{len(rows)} names, {sum(1 for row in rows if row.get('id'))} matched, property {wanted['id']} fetched")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
