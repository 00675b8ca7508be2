#!/usr/bin/env python3
"""Loads `truename serve` on loopback: speed beside csv-reconcile, overload, and kills while judgements are saved.

    apt-get install wrk
    python3 -m venv PEER && PEER/bin/pip install csv-reconcile==0.3.2 gunicorn==27.0.1
    PEER/bin/cythonize -i PEER/lib/python3*/site-packages/csv_reconcile_dice/cutils.pyx    # its scorer in C; pip installs it in Python
    python3 benches/serve.py --truename target/release/truename --peer PEER
    python3 benches/serve.py --truename target/release/truename --overload 10              # minutes
    python3 benches/serve.py --truename target/release/truename --kill 500                 # kills

All serve the preferred names of the diseases of the bundled knowledge base, one name a concept, for csv-reconcile keeps no
more. Queries are 2,000 of these names, half of them with one random edit (`--seed`).

Speed: requests a second, and the time of an answer at the median and the 99th percentile, by `wrk` on one thread at 1, 16 and
128 connections, after two seconds that do not count. A request is one name (`POST /v1/match`; csv-reconcile has no address of
that kind and gets a batch of one) or a batch of ten as OpenRefine sends it (form field `queries`). `truename` runs with
`--cache 1`, so that it remembers no answer; `truename, asked before` has answered all queries once. csv-reconcile runs in
gunicorn with a process a core, which is faster than its own `serve`. The servers run in turn, on the same cores as wrk. `right`
is the share of 500 queries, in percent, whose first candidate is the concept of the name; `memory` is the peak of the server's
processes in MiB.

Overload: 256 connections ask a server with `--queue 16` without pause, for single names, batches and documents; one request in
fifty is given up after it is sent. Each other request must get an answer: 200, and the one that the command `match` gives, or
503 with Retry-After. Memory is sampled each second; the median of the last tenth may exceed that of the second tenth by 5 % and
8 MiB.

Kill: four clients save judgements, 1 to 400 a request, until the server is killed by SIGKILL at a random moment and started
again. All judgements whose request was answered must be there. The page cache survives a killed process: this shows that
answers wait for the write, not that the write waits for the disk (`strace -f -e trace=fdatasync` does).

Exit code 1 if an answer is wrong or lost.
"""

import argparse
import asyncio
import collections
import contextlib
import csv
import itertools
import json
import os
import pathlib
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

QUERIES = 2000
CHECKED = 500
BATCH = 10
CONNECTIONS = (1, 16, 128)
WARM_UP_SECONDS = 2
START_SECONDS = 60
OVERLOAD_CONNECTIONS = 256
OVERLOAD_QUEUE = 16
GIVEN_UP = 50
KILL_CLIENTS = 4
MOST_JUDGEMENTS = 400
FRESH_FILE = 50
FORM = "application/x-www-form-urlencoded"
JSON = "application/json"

WRK = """
local bodies, at = {}, 0
function init(arguments)
    for line in io.lines(arguments[1]) do bodies[#bodies + 1] = line end
    wrk.method = "POST"
    wrk.headers["Content-Type"] = arguments[2]
end
function request()
    at = at % #bodies + 1
    return wrk.format(nil, nil, nil, bodies[at])
end
function done(summary, latency)
    local errors = summary.errors
    print(string.format('{"requests": %d, "seconds": %f, "p50_ms": %f, "p99_ms": %f, "refused": %d, "lost": %d}',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
        errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def post(url, body, kind):
    request = urllib.request.Request(url, data=body.encode(), headers={"Content-Type": kind})
    with urllib.request.urlopen(request, timeout=300) as response:
        return json.load(response)


class Names:
    """Diseases of the bundled knowledge base in the forms that both servers take, and queries for them."""

    def __init__(self, truename, folder, seed):
        self.table, self.kb = folder / "names.tsv", folder / "kb"
        concepts = folder / "concepts.jsonl"
        subprocess.run([truename, "--quiet", "kb", "export", "--out", concepts], check=True)
        with open(concepts) as lines:
            rows = [(concept["id"], concept["name"]) for concept in map(json.loads, lines) if "disease" in concept["types"]]
        with open(self.table, "w", newline="") as table:
            csv.writer(table, delimiter="\t", lineterminator="\n").writerows([("id", "name"), *rows])
        columns = ["--id-column", "id", "--name-column", "name"]
        subprocess.run([truename, "--quiet", "kb", "import", self.table, *columns, "--out", self.kb], check=True)
        draw = random.Random(seed)
        drawn = draw.sample(rows, QUERIES)
        self.queries = [edited(name, draw) if at % 2 else name for at, (_, name) in enumerate(drawn)]
        self.ids = [identifier for identifier, _ in drawn]
        self.all_ids = [identifier for identifier, _ in rows]


def edited(name, draw):
    """Inserts, drops, replaces or swaps a character."""
    at, letter = draw.randrange(len(name)), draw.choice("abcdefghijklmnopqrstuvwxyz")
    edits = [name[:at] + letter + name[at:], name[:at] + name[at + 1 :], name[:at] + letter + name[at + 1 :]]
    edits.append(name[:at] + name[at + 1 : at + 2] + name[at : at + 1] + name[at + 2 :])
    return draw.choice(edits)


def name_body(name):
    return json.dumps({"names": [name]})


def batch_body(names):
    return urllib.parse.urlencode({"queries": json.dumps({f"q{at}": {"query": name} for at, name in enumerate(names)})})


def tens(queries):
    return [queries[at : at + BATCH] for at in range(0, len(queries), BATCH)]


class Server:
    """A server process, which ends with the `with` statement."""

    def __init__(self, command, port, ready, folder):
        self.port, self.root = port, f"http://127.0.0.1:{port}"
        self.log = open(folder / "server.log", "ab")
        self.process = subprocess.Popen(command, cwd=folder, stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                urllib.request.urlopen(self.root + ready, timeout=10).close()
                return
            except OSError as error:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.stop()
                    tail = pathlib.Path(self.log.name).read_text(errors="replace")[-1000:]
                    raise SystemExit(f"{command[0]} does not answer: {error}\n{tail}") from None
                time.sleep(0.02)

    def memory_mb(self, field="VmRSS"):
        """Returns the memory of the process and its children."""
        process = pathlib.Path(f"/proc/{self.process.pid}")
        children = (process / f"task/{process.name}/children").read_text().split()
        statuses = [(pathlib.Path("/proc") / number / "status").read_text() for number in [process.name, *children]]
        return sum(int(re.search(rf"^{field}:\s+(\d+)", status, re.M)[1]) for status in statuses) / 1024

    def stop(self):
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(30)
        self.process.kill()
        self.process.wait()
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def serve(truename, names, folder, *options):
    port = free_port()
    command = [truename, "--quiet", "serve", "--kb", f"names={names.kb}", "--port", str(port), *options]
    return Server(command, port, "/ready", folder)


def serve_peer(peer, names, folder):
    subprocess.run([peer / "bin/csv-reconcile", "init", names.table, "id", "name"], cwd=folder, check=True, capture_output=True)
    port, processes = free_port(), str(os.cpu_count())
    command = [peer / "bin/gunicorn", "--workers", processes, "--bind", f"127.0.0.1:{port}", "csv_reconcile:create_app()"]
    return Server(command, port, "/reconcile", folder)


# Speed


def wrk(url, bodies, kind, connections, seconds, folder):
    script, lines = folder / "wrk.lua", folder / "bodies.txt"
    script.write_text(WRK)
    lines.write_text("\n".join(bodies) + "\n")

    def run(seconds):
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "300s", "-s", script, url, "--", lines, kind]
        done = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return json.loads(next(line for line in done.splitlines() if line.startswith("{")))

    run(WARM_UP_SECONDS)
    return run(seconds)


def right_share(url, names):
    """Returns the share of queries, in percent, whose first candidate is right."""
    right = 0
    for batch, ids in zip(tens(names.queries[:CHECKED]), tens(names.ids[:CHECKED])):
        results = post(url, batch_body(batch), FORM)
        for at, identifier in enumerate(ids):
            candidates = results[f"q{at}"]["result"]
            right += bool(candidates) and candidates[0]["id"] == identifier
    return 100 * right / CHECKED


def measure(title, server, names, single, batch, options, folder, seconds):
    right = right_share(server.root + batch, names)
    single_bodies = [name_body(name) if single != batch else batch_body([name]) for name in names.queries]
    single_kind = JSON if single != batch else FORM
    if title.endswith("asked before"):
        for many in tens(names.queries):
            post(server.root + "/v1/match", json.dumps({"names": many}), JSON)
            post(server.root + batch, batch_body(many), FORM)
    for what, path, bodies, kind in [
        ("one name", single, single_bodies, single_kind),
        ("batch of ten", batch, [batch_body(many) for many in tens(names.queries)], FORM),
    ]:
        for connections in options.connections:
            figures = wrk(server.root + path, bodies, kind, connections, seconds, folder)
            yield {
                "server": title,
                "request": what,
                "connections": connections,
                "requests_per_s": round(figures["requests"] / figures["seconds"], 1),
                "p50_ms": round(figures["p50_ms"], 2),
                "p99_ms": round(figures["p99_ms"], 2),
                "refused": figures["refused"],
                "lost": figures["lost"],
                "right": right,
                "memory": round(server.memory_mb("VmHWM")),
            }


def speed(options, names, folder):
    reconcile = "/reconcile/0.2"
    rows = []
    servers = [("truename", ["--cache", "1"]), ("truename, asked before", [])]
    for title, flags in servers:
        with serve(options.truename, names, folder, *flags) as server:
            rows += shown(measure(title, server, names, "/v1/match", reconcile, options, folder, options.seconds))
    if options.peer:
        with serve_peer(options.peer, names, folder) as server:
            seconds = options.peer_seconds
            rows += shown(measure("csv-reconcile", server, names, "/reconcile", "/reconcile", options, folder, seconds))
    return all(row["refused"] == row["lost"] == 0 for row in rows)


def shown(rows):
    for row in rows:
        print(json.dumps(row), flush=True)
        yield row


# A client that reads answers whole and sees when one is lost


class Lost(Exception):
    """The connection ended before the answer did."""


class Client:
    """A connection that sends one request at a time."""

    def __init__(self, port):
        self.port = port
        self.reader = self.writer = None

    async def send(self, method, path, body="", kind=JSON):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 26)
        data = body.encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n\r\n"
        self.writer.write(head.encode() + data)
        await self.writer.drain()

    async def receive(self):
        """Returns status, headers and body of the answer."""
        try:
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {key.lower(): value.strip() for key, _, value in (line.partition(":") for line in head[1:] if line)}
            if headers.get("transfer-encoding") == "chunked":
                body = b""
                while size := int(await self.reader.readuntil(b"\r\n"), 16):
                    body += (await self.reader.readexactly(size + 2))[:-2]
                await self.reader.readexactly(2)
            else:
                body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Lost(str(error)) from error
        if headers.get("connection") == "close":
            self.close()
        return int(head[0].split()[1]), headers, body

    async def ask(self, *request):
        await self.send(*request)
        return await self.receive()

    def close(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


# Overload


def expected_answers(truename, names, folder):
    """Returns the answer of the command to each query."""
    listed = folder / "queries.txt"
    listed.write_text("\n".join(names.queries) + "\n")
    command = [truename, "--quiet", "match", listed, "--kb", names.kb, "--format", "jsonl", "--top", "5"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {answer["name"]: answer for answer in map(json.loads, lines)}


def overload_requests(names, expected, draw):
    """Yields requests with a check of the answer to each."""

    def links(wanted):
        return lambda answer: answer["links"] == [expected[name] for name in wanted]

    def results(wanted):
        def check(answer):
            found = [answer[f"q{at}"]["result"] for at in range(len(wanted))]
            first = [[candidate["id"] for candidate in candidates[:1]] for candidates in found]
            return first == [[candidate["id"] for candidate in expected[name]["candidates"][:1]] for name in wanted]

        return check

    def document(text):
        return lambda answer: text in json.dumps(answer, ensure_ascii=False)

    while True:
        wanted = draw.sample(names.queries, BATCH)
        yield "/v1/match", name_body(wanted[0]), JSON, links(wanted[:1])
        yield "/v1/match", json.dumps({"names": wanted}), JSON, links(wanted)
        yield "/reconcile/0.2", batch_body(wanted), FORM, results(wanted)
        text = ". ".join(wanted)
        yield "/v1/link", json.dumps({"documents": [{"id": "1", "text": text}]}), JSON, document(text)


async def overload_client(port, requests, counts, deadline, draw):
    client = Client(port)
    while time.monotonic() < deadline:
        path, body, kind, is_right = next(requests)
        try:
            await client.send("POST", path, body, kind)
            if draw.randrange(GIVEN_UP) == 0:
                counts["given up"] += 1
                client.close()
                continue
            status, headers, answer = await client.receive()
        except (Lost, OSError) as error:
            counts[f"lost: {error}"] += 1
            client.close()
            continue
        if status == 503 and headers.get("retry-after", "").isdigit():
            counts["503"] += 1
            await asyncio.sleep(0.02)
        elif status == 200 and is_right(json.loads(answer)):
            counts["200"] += 1
        else:
            counts[f"wrong: {path} {status} {answer[:200]!r}"] += 1
    client.close()


async def sample_memory(server, samples, deadline):
    while time.monotonic() < deadline:
        samples.append(server.memory_mb())
        await asyncio.sleep(1)


async def overload_all(server, names, expected, options):
    deadline = time.monotonic() + options.overload * 60
    counts, samples, draw = collections.Counter(), [], random.Random(options.seed)
    requests = overload_requests(names, expected, draw)
    clients = [overload_client(server.port, requests, counts, deadline, draw) for _ in range(OVERLOAD_CONNECTIONS)]
    await asyncio.gather(sample_memory(server, samples, deadline), *clients)
    return counts, samples


def overload(options, names, folder):
    expected = expected_answers(options.truename, names, folder)
    flags = ["--queue", str(OVERLOAD_QUEUE), "--cache", "1"]
    with serve(options.truename, names, folder, *flags) as server:
        counts, samples = asyncio.run(overload_all(server, names, expected, options))
        is_alive = server.process.poll() is None
    tenth = max(1, len(samples) // 10)
    early, late = statistics.median(samples[tenth : 2 * tenth]), statistics.median(samples[-tenth:])
    is_flat = late <= 1.05 * early + 8
    failures = {what: count for what, count in counts.items() if what.startswith(("lost", "wrong"))}
    report = {
        "minutes": options.overload,
        "connections": OVERLOAD_CONNECTIONS,
        "queue": OVERLOAD_QUEUE,
        "answered_200": counts["200"],
        "answered_503": counts["503"],
        "given_up": counts["given up"],
        "failures": dict(itertools.islice(failures.items(), 10)),
        "memory_mb": {"second_tenth": round(early, 1), "last_tenth": round(late, 1), "most": round(max(samples), 1)},
    }
    print(json.dumps(report))
    return is_alive and is_flat and not failures and counts["200"] > 0 and counts["503"] > 0


# Kills while judgements are saved


async def judging_client(port, round_number, client_number, acknowledged, ids, draw):
    client, number = Client(port), 0
    try:
        while True:
            name = f"name {round_number}-{client_number}-{number}"
            size = draw.choice([1, 1, 10, MOST_JUDGEMENTS])
            many = [{"name": f"{name}-{at}", "id": draw.choice([None, draw.choice(ids)])} for at in range(size)]
            body = json.dumps({"judgements": many, "user": f"user {client_number}"})
            status, _, answer = await client.ask("POST", "/v1/judgements", body)
            if status not in (200, 201):
                raise SystemExit(f"POST /v1/judgements answered {status}: {answer[:300]!r}")
            acknowledged.update((judgement["name"], judgement["id"]) for judgement in many)
            number += 1
    except (Lost, OSError):
        client.close()


async def kill_amid(server, round_number, acknowledged, ids, draw):
    clients = [judging_client(server.port, round_number, number, acknowledged, ids, draw) for number in range(KILL_CLIENTS)]

    async def kill():
        await asyncio.sleep(draw.uniform(0.005, 0.25))
        os.kill(server.process.pid, signal.SIGKILL)

    await asyncio.gather(kill(), *clients)


def saved_judgements(server):
    with urllib.request.urlopen(server.root + "/v1/judgements", timeout=60) as response:
        return {judgement["name"]: judgement["id"] for judgement in json.load(response)["judgements"]}


def kills(options, names, folder):
    draw, totals, missing = random.Random(options.seed), collections.Counter(), []
    acknowledged, judgements = {}, None
    for round_number in range(options.kill):
        if round_number % FRESH_FILE == 0:
            judgements, acknowledged = folder / f"judgements-{round_number}", {}
        flags = ["--judgements", judgements]
        with serve(options.truename, names, folder, *flags) as server:
            before = len(acknowledged)
            asyncio.run(kill_amid(server, round_number, acknowledged, names.all_ids, draw))
        totals["acknowledged"] += len(acknowledged) - before
        with serve(options.truename, names, folder, *flags) as server:
            saved = saved_judgements(server)
        missing += [name for name, identifier in acknowledged.items() if saved.get(name, "missing") != identifier]
        totals["saved, not acknowledged"] += len(saved) - len(acknowledged)
        acknowledged = saved
    print(json.dumps({"kills": options.kill, **totals, "missing": len(missing), "first_missing": missing[:5]}))
    return not missing and totals["acknowledged"] > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truename", type=pathlib.Path, required=True)
    parser.add_argument("--peer", type=pathlib.Path, help="virtual environment with csv-reconcile")
    parser.add_argument("--seconds", type=int, default=5, help="of a measurement")
    parser.add_argument("--peer-seconds", type=int, default=20, help="of a measurement of csv-reconcile")
    parser.add_argument("--connections", type=int, nargs="+", default=CONNECTIONS)
    parser.add_argument("--overload", type=float, metavar="MINUTES")
    parser.add_argument("--kill", type=int, metavar="KILLS")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.truename = options.truename.resolve()
    options.peer = options.peer and options.peer.absolute()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        names = Names(options.truename, folder, options.seed)
        passed = True
        if options.overload is None and options.kill is None:
            passed = speed(options, names, folder)
        if options.overload is not None:
            passed = overload(options, names, folder) and passed
        if options.kill is not None:
            passed = kills(options, names, folder) and passed
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
