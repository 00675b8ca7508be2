#!/usr/bin/env python3
"""Sends a server what nobody should: scripts/hostile/server.py [SECONDS]. Prints `ok` or `FAIL` a check; exit code 1 on a failure.

Memory is that of the process beside its files (RssAnon), in MiB, sampled each second of the four floods, which last SECONDS each
(default 5). The binary is $TRUENAME. Everything stays on this machine, and ends by itself.
"""

import concurrent.futures, http.client, json, os, random, shutil, signal, socket, subprocess, sys, tempfile, threading, time
from urllib.parse import quote

TRUENAME = os.path.realpath(os.environ["TRUENAME"])
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
MOST_MIB = 512
KEY = "0123456789abcdef"
folder = tempfile.mkdtemp(prefix="hostile-")
failures = 0


def check(name, holds, found=""):
    global failures
    failures += not holds
    print(f"{'ok  ' if holds else 'FAIL'} {name}{'' if holds else f': {found}'}", flush=True)


def write(name, lines):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.writelines(lines)
    return path


class Server:
    def __init__(self, *arguments, files=None):
        limit = [] if files is None else ["prlimit", f"--nofile={files}", "--"]
        self.log = open(os.path.join(folder, "log"), "w+")
        command = [*limit, TRUENAME, "serve", "--port", "0", *arguments]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=self.log)
        for _ in range(600):
            said = open(self.log.name).read()
            if "http://127.0.0.1:" in said:
                break
            time.sleep(0.05)
        self.port = int(said.split("http://127.0.0.1:")[1].split("/")[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(40)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def ask(self, method, path, body=None, headers=None, timeout=30):
        """Returns status, headers and body; the status is the error's name if there is no answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException) as error:
            return type(error).__name__, {}, b""
        finally:
            connection.close()

    def json(self, path, value, **more):
        return self.ask("POST", path, json.dumps(value), {"Content-Type": "application/json"}, **more)

    def open(self, text):
        stream = socket.create_connection(("127.0.0.1", self.port), 10)
        try:
            stream.sendall(text)
        except OSError:
            pass
        return stream

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1024

    def lives(self):
        return self.process.poll() is None


def head(method, path, length, kind="application/json"):
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode()


def flood(server, name, send, clients=16):
    """Runs `send` in clients for some seconds, and checks the memory meanwhile."""
    until, curve, is_over, base, peak = time.time() + SECONDS, [], threading.Event(), server.base, [0.0]

    def sample():
        while not is_over.wait(0.02):
            peak[0] = max(peak[0], server.memory())

    def client(number):
        chosen = random.Random(number)
        while time.time() < until:
            send(chosen)

    sampler = threading.Thread(target=sample)
    sampler.start()
    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        done = [pool.submit(client, number) for number in range(clients)]
        while time.time() < until:
            curve.append(server.memory())
            time.sleep(1)
        for one in done:
            one.result()
    is_over.set()
    sampler.join()
    check(f"{name}: at most {MOST_MIB} MiB above the base", peak[0] - base <= MOST_MIB, f"{peak[0] - base:.0f} MiB")
    check(f"{name}: it still answers", server.ask("GET", "/health")[0] == 200)
    time.sleep(3)  # it gives memory back
    curve.append(server.memory())
    print(f"     {name}: base {base:.0f}, each second {' '.join(f'{mib:.0f}' for mib in curve)}, highest {peak[0]:.0f} MiB")


random.seed(7)
words = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(2, 9))) for _ in range(20000)]
names = [" ".join(random.sample(words, random.randint(1, 3))) for _ in range(60000)]
synonyms = [f"{word} syndrome" for word in words[:400]]
concepts = [{"id": f"X:{at}", "name": name, "synonyms": [f"{name} disease"], "types": ["disease"], "parents": ["X:0"]} for at, name in enumerate(names)]
concepts[1]["synonyms"] += synonyms
write("concepts.jsonl", (json.dumps(concept) + "\n" for concept in concepts))
write("few.jsonl", ['{"id": "A:1", "name": "asthma", "types": ["lung disease"]}\n'])
write("keys", [f"ann {KEY}\n"])
for source, kb in ("concepts.jsonl", "kb"), ("few.jsonl", "few"), ("few.jsonl", "cut"):
    subprocess.run([TRUENAME, "-q", "kb", "import", source, "--out", kb], cwd=folder, check=True, stdin=subprocess.DEVNULL)

# Rights, hosts and origins
with Server("--kb", "few", "--keys", "keys") as server:
    for path in ("/reconcile/0.2?%71ueries=%7B%7D", "/reconcile/0.2?%65xtend=%7B%7D", "/v1/bases", "/v1/bases?key=wrong", "/metrics", "/%6betrics"):
        check(f"no key, {path}: refused", server.ask("GET", path)[0] == 401)
    status, _, manifest = server.ask("GET", "/reconcile/0.2")
    check("no key: the manifest names neither base nor types", status == 200 and b"few" not in manifest and b"lung" not in manifest, manifest)
    for headers, query in (({"Authorization": f"bearer {KEY}"}, ""), ({}, "?key=" + "".join(f"%{ord(letter):02x}" for letter in KEY))):
        check(f"the key is read: {headers or query}", server.ask("GET", f"/v1/bases{query}", headers=headers)[0] == 200)
    statuses = [server.ask("GET", f"/v1/bases?key=wrong-key-number-{at}")[0] for at in range(50)]
    check("wrong keys are limited", statuses[0] == 401 and statuses[-1] == 429, statuses)
with Server("--kb", "few") as server:
    check("a foreign Host is refused", server.ask("GET", "/v1/bases", headers={"Host": "evil.example"})[0] == 421)
    for path, origin, reads in ("/v1/bases", "https://evil.example", False), ("/reconcile/0.2", "https://evil.example", False), ("/reconcile/0.2", "http://127.0.0.1:3333", True):
        allowed = "access-control-allow-origin" in server.ask("GET", path, headers={"Origin": origin})[1]
        check(f"{origin} {'reads' if reads else 'does not read'} {path}", allowed == reads)
    script = {"Referer": "https://evil.example/", "Sec-Fetch-Site": "cross-site"}
    check("a foreign page reads no script", server.ask("GET", "/reconcile/0.2?callback=f&queries=%7B%7D", headers=script)[0] == 403)

    # Time
    line, chunks = b'"' + b"a" * (4 << 20), 20000
    stream = server.open(b"POST /v1/match HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
    start = time.time()
    stream.sendall(b"%x\r\n%s\r\n" % (len(line), line))
    for _ in range(chunks // 100):
        stream.sendall(b"1\r\na\r\n" * 100)
    stream.sendall(b'2\r\n"\n\r\n0\r\n\r\n')
    stream.settimeout(30)
    answered = stream.recv(12)
    check(f"{chunks} chunks of a byte behind a long line take no more than 5 s", answered.endswith(b"200") and time.time() - start < 5, f"{time.time() - start:.1f} s")
    stream.close()
    form = "queries=" + quote(json.dumps({"q": {"query": "asthma", "type": ["lung disease"] * 100_000}}))
    status = server.ask("POST", "/reconcile/0.2", form, {"Content-Type": "application/x-www-form-urlencoded"})[0]
    check(f"a form of {len(form) >> 20} MiB is read", status == 200, status)
    silent = [server.open(b"GET /health HTTP/1.1\r\nHost: loc") for _ in range(300)]
    start = time.time()
    check("300 silent connections lock nobody out", server.ask("GET", "/health", timeout=5)[0] == 200)
    silent[0].settimeout(30)
    closed = silent[0].recv(1000)
    check("a head that does not come ends its connection", time.time() - start < 25 and (not closed or b" 408 " in closed), closed)
    for stream in silent:
        stream.close()
with Server("--kb", "few", files=128) as server:
    silent = [server.open(b"GET /health HTTP/1.1\r\nHost: loc") for _ in range(300)]
    check("128 file descriptors are enough for those who ask", server.ask("GET", "/v1/bases", timeout=10)[0] == 200)
    for stream in silent:
        stream.close()

# One base of two
with Server("--kb", "few", "--kb", "cut") as server:
    data = os.path.join(folder, "cut", "data.mdb")
    shutil.copy(data, data + ".whole")
    os.truncate(data, 4096)
    cut = [server.json("/v1/match?kb=cut", {"names": ["asthma"]})[0] for _ in range(3)]
    check("a base that is cut off is answered 503", cut == [503] * 3 and server.lives(), cut)
    check("the other one goes on", server.json("/v1/match?kb=few", {"names": ["asthma"]})[0] == 200)
    os.remove(data)
    os.rename(data + ".whole", data)
    for _ in range(50):
        status = server.json("/v1/match?kb=cut", {"names": ["asthma"]})[0]
        if status == 200:
            break
        time.sleep(0.2)
    check("it is opened anew once it is whole", status == 200, status)
    check("the log says why", "cut" in open(server.log.name).read().split("\n", 2)[2])

# Floods
with Server("--kb", "kb") as server:
    server.json("/v1/match", {"names": names[:50]})
    server.json("/v1/link", {"documents": [{"text": ". ".join(names[:50])}]})
    server.base = server.memory()
    properties = [{"id": kind} for kind in ("synonym", "child", "parent", "type", "name")]
    many = json.dumps({"ids": [f"X:{at}" for at in range(3000)], "properties": properties * 200})
    large = json.dumps({"ids": ["X:1"] * 2000, "properties": [{"id": "synonym"}] * 5})
    children = json.dumps({"ids": ["X:0"] * 2000, "properties": [{"id": "child", "settings": {"limit": 10000}}]})
    status = server.ask("POST", "/reconcile/1.0/extend", many, {"Content-Type": "application/json"})[0]
    check("3,000 ids of 1,000 properties are refused", status == 413, status)
    flood(server, "data extension", lambda chosen: server.ask("POST", "/reconcile/1.0/extend", chosen.choice([many, large, children]), {"Content-Type": "application/json"}))

    document = ". ".join(random.choices(names, k=1_200_000))[: 15 << 20]
    status = server.json("/v1/link", {"documents": [{"text": document}]})[0]
    check("a document of 15 MiB is refused, or answered in bounded memory", status in (200, 413), status)
    texts = [document[at * 400_000 :][:400_000] for at in range(24)]
    short = (". ".join(word for word in words if len(word) == 2) + ". ") * 200

    def documents(chosen):
        body = json.dumps({"documents": [{"text": chosen.choice([*texts, short[:400_000]])}], "top": chosen.choice([1, 5, 20])}).encode()
        stream = server.open(head("POST", "/v1/link", len(body)) + body)
        # Some clients take their answer slowly, or not at all.
        stream.settimeout(SECONDS)
        until = time.time() + chosen.choice([0.5, SECONDS])
        try:
            while time.time() < until and stream.recv(chosen.choice([1 << 10, 1 << 20])):
                pass
        except OSError:
            pass
        stream.close()

    flood(server, "documents", documents)
    flood(server, "long names", lambda chosen: server.json("/v1/match", {"names": ["".join(chosen.choices(words, k=10)) * (chosen.choice([1, 400_000]))] * 1, "top": 100}))
    flood(server, "new names", lambda chosen: server.json("/v1/match", {"names": [" ".join(chosen.choices(words, k=3)) for _ in range(1000)], "top": 100, "explain": True}), 4)

    def unfinished(chosen):
        size = 16 << 20
        kind = chosen.choice(["application/json", "application/x-ndjson"])
        stream = server.open(head("POST", "/v1/match", size, kind) + b" " * (size - chosen.randint(1, 4096)))
        time.sleep(min(2, SECONDS))
        stream.close()

    flood(server, "unfinished bodies", unfinished, 60)
    check("the server lives", server.lives())

shutil.rmtree(folder)
sys.exit(1 if failures else 0)
