"""Malformed and hostile requests, more than a hundred: each is answered with 4xx, and the server goes on serving."""

import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from attacks import bodies, status_of
from dalembert.collection import text
from dalembert.errors import ModelError
from dalembert.model.read import read_text
from lab_server import running

MODEL = text("simple-pendulum")
GOOD = json.dumps({"text": MODEL, "until": 0.1, "samples": 3}).encode()


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    outside = folder.parent / "outside.toml"
    outside.write_text("secret = 1")
    (folder / "link.toml").symlink_to(outside)
    (folder / "inside.toml").write_text(MODEL)
    (folder / "folder.toml").mkdir()
    (folder / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with running("--folder", str(folder), "--workers", "1", "--seconds", "20") as lab:
        yield replace(lab, folder=folder)


def test_more_than_a_hundred_bodies(lab):
    sent = list(bodies(lab.folder))
    assert len(sent) > 100
    for path, body in sent:
        status, answer, _ = lab.ask(path, body)
        late = path == "/api/vary" and status == 200  # refused by the model, after the answer had begun
        assert late or 400 <= status < 500, (path, body[:100], status, answer[:200])
        told = json.loads(answer.splitlines()[-1])
        sentence = told["error"]
        assert isinstance(sentence, str) and len(sentence) > 10 and "Traceback" not in sentence, sentence
        assert "pydantic" not in sentence and "loc" not in told
    assert lab.ask("/api/motion", GOOD)[0] == 200
    assert not (lab.folder.parent / "owned").exists() and not (lab.folder.parent / "new.toml").exists()
    assert (lab.folder.parent / "outside.toml").read_text() == "secret = 1"
    assert (lab.folder / "inside.toml").read_text() == MODEL


def test_other_methods_addresses_and_types(lab):
    own = {"x-lab-token": lab.token}
    for method in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "BREW"):
        assert lab.ask("/api/motion", method=method)[0] in (400, 405)
    for path in (
        *("/etc/passwd", "/static/../pool.py", "/static/lab/../pool.py", "/static/lab/%2e%2e/pool.py", "/static/lab"),
        *("/static/lab/index.html", "/static/view/..%2f..%2fpool.py", "/docs", "/openapi.json", "/api", "/api/nothing"),
        *("/api/gallery/..%2f..%2fetc%2fpasswd", "/api/picture/none", "//", "/static/lab/lab.js/x"),
    ):
        assert 400 <= lab.ask(path)[0] < 500, path
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        assert lab.ask("/api/motion", GOOD, headers={**own, "content-type": kind})[0] == 415
    assert lab.ask("/api/motion", GOOD)[0] == 200


def test_other_sites_are_kept_out(lab):
    own = {"x-lab-token": lab.token, "content-type": "application/json"}
    local = f"127.0.0.1:{lab.port}"
    for wrong in (
        *({"host": "evil.example"}, {"host": f"evil.example:{lab.port}"}, {"host": "127.0.0.1:1"}, {"host": ""}),
        *({"host": f"localhost.evil.example:{lab.port}"}, {"host": f"{local}@evil.example"}, {"host": "127.0.0.1"}),
        *(
            {"origin": "http://evil.example"},
            {"origin": "null"},
            {"origin": f"https://{local}"},
            {"origin": "http://127.0.0.1"},
        ),
        *({"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"sec-fetch-site": "none"}),
        *({"x-lab-token": ""}, {"x-lab-token": "x"}, {"x-lab-token": lab.token[:-1]}, {"x-lab-token": lab.token + "x"}),
    ):
        assert lab.ask("/api/motion", GOOD, headers={**own, **wrong})[0] in (400, 403, 421), wrong
    assert lab.ask("/", headers={"host": "evil.example"})[0] == 421
    assert lab.ask("/static/lab/lab.js", headers={"sec-fetch-site": "cross-site", "sec-fetch-dest": "script"})[0] == 403
    for right in (
        {},
        {"host": f"localhost:{lab.port}"},
        {"origin": f"http://{local}", "sec-fetch-site": "same-origin"},
    ):
        assert lab.ask("/api/motion", GOOD, headers={**own, **right})[0] == 200


def test_what_is_no_http(lab):
    local = f"127.0.0.1:{lab.port}".encode()
    head = b"POST /api/motion HTTP/1.1\r\nHost: " + local + b"\r\nX-Lab-Token: " + lab.token.encode()
    kind = b"\r\nContent-Type: application/json"
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    for raw in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: " + local + b"\r\nHost: evil.example\r\n\r\n",
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: " + local + b"\r\n\r\n",
        head + kind + b"\r\nContent-Length: -5\r\n\r\n",
        head + kind + b"\r\nContent-Length: 99999999999\r\n\r\n",
        head + kind + b"\r\nContent-Length: abc\r\n\r\n",
        head + kind + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + 4 * chunk + b"0\r\n\r\n",
    ):
        status = status_of(lab.port, raw)
        assert status is None or 400 <= status < 500, (raw[:80], status)
    assert lab.ask("/api/motion", GOOD)[0] == 200


def test_no_token_is_given_to_other_sites(lab):
    """The page holds the token: no other origin can read it, frame it, or load it as anything but a page."""
    _, _, headers = lab.ask("/", headers={**lab.visitor, "origin": "http://evil.example"})
    assert "access-control-allow-origin" not in headers
    _, _, headers = lab.ask("/", headers=lab.visitor)
    assert headers["cross-origin-resource-policy"] == "same-origin" and headers["x-content-type-options"] == "nosniff"
    assert (
        "frame-ancestors 'none'" in headers["content-security-policy"] and headers["referrer-policy"] == "no-referrer"
    )


def test_the_page_is_given_to_those_alone_who_bring_the_secret(lab):
    """Another account of the machine can send requests; without the printed address it learns nothing."""
    name = f"dalembert-lab-{lab.port}"
    for path, headers in (
        *((path, {}) for path in ("/", "/?token=", "/?token=x", f"/?token={lab.token[:-1]}", f"/?token={lab.token}x")),
        *((f"/?{word}={lab.token}", {}) for word in ("Token", "secret", "x-lab-token")),
        *(("/", {"cookie": cookie}) for cookie in (f"{name}=", f"{name}=x", f"x={lab.token}", lab.token, "; ; =")),
        ("/", {"cookie": f"{name}={lab.token}x"}),
        ("/", {"x-lab-token": lab.token}),
    ):
        status, body, answered = lab.ask(path, headers=headers)
        assert status == 403 and lab.token.encode() not in body and "set-cookie" not in answered, (path, headers)
        assert b"the address that" in body and lab.token not in str(answered)
    for path in ("/static/lab/lab.js", "/static/lab/server.js", "/api/gallery", "/api/folder"):
        status, body, answered = lab.ask(path, headers={})
        assert lab.token.encode() not in body and lab.token not in str(answered)
        assert status == (200 if path.startswith("/static") else 403)
    for path in ("/api/save", "/api/open"):  # only the owner can read the folder
        assert lab.ask(path, json.dumps({"name": "inside.toml"}).encode(), headers=lab.visitor)[0] == 403


def test_the_secret_leaves_the_address_and_becomes_a_cookie(lab):
    status, _, headers = lab.ask(f"/?token={lab.token}", headers={})
    assert status == 303 and headers["location"] == "/"
    cookie = headers["set-cookie"]
    assert cookie.startswith(f"dalembert-lab-{lab.port}={lab.token};")
    assert "httponly" in cookie.lower() and "samesite=lax" in cookie.lower()
    status, body, _ = lab.ask("/", headers=lab.visitor)
    assert status == 200 and lab.token.encode() in body


HALVES = (
    b"",
    b"G",
    b"GET / HTTP/1.1\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ",
    b"POST /api/check HTTP/1.1\r\n",
)


@pytest.mark.parametrize("half", HALVES)
def test_half_sent_headers_keep_nobody_out(lab, half):
    """More connections than those that once gave everyone a 503."""
    pipes = []
    try:
        for _ in range(150):
            pipe = socket.create_connection(("127.0.0.1", lab.port), timeout=20)
            pipes.append(pipe)
            pipe.sendall(half)
        assert lab.ask("/", headers=lab.visitor)[0] == 200
        assert lab.ask("/api/motion", GOOD)[0] == 200
    finally:
        for pipe in pipes:
            pipe.close()


def test_who_owes_a_request_is_not_waited_for():
    from dalembert.lab.limits import Limits

    limits = replace(Limits(), patience=0.5)
    local = b"Host: 127.0.0.1\r\n"
    unfinished = b"POST /api/check HTTP/1.1\r\n" + local + b"Content-Length: 50\r\n\r\n{"
    for sent in (b"GET / HTTP/1.1\r\n" + local, unfinished, b"GET / HTTP/1.1\r\n" + local + b"\r\nGET / HT"):
        assert _closed_after(sent, limits) < 5, sent


def test_who_does_not_read_is_not_waited_for(lab):
    """Answers that fill all buffers are dropped after some seconds, by the lab too, and do not keep it from ending."""
    from dalembert.lab.limits import Limits

    limits = replace(Limits(), patience=0.5)
    assert _closed_after(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", limits, answer=30_000_000) < 5
    pipes = []
    try:
        for _ in range(100):
            pipe = socket.socket()
            pipes.append(pipe)
            pipe.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            pipe.connect(("127.0.0.1", lab.port))
            pipe.sendall(8 * f"GET /static/view/three.js HTTP/1.1\r\nHost: 127.0.0.1:{lab.port}\r\n\r\n".encode())
        assert lab.ask("/", headers=lab.visitor)[0] == 200
    finally:
        for pipe in pipes:
            pipe.close()


def _closed_after(sent, limits, answer=0):
    """Seconds until a server closes a connection that sends one byte now and then, or does not read its answer."""
    import asyncio

    import uvicorn

    from dalembert.lab.patience import patient

    async def answered(scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        length = (b"content-length", str(answer).encode())
        await send({"type": "http.response.start", "status": 200, "headers": [length]})
        await send({"type": "http.response.body", "body": bytes(answer)})

    async def waited():
        config = uvicorn.Config(answered, http=patient(limits.patience, 8), lifespan="off", log_level="critical")
        server = uvicorn.Server(config)
        config.load()
        server.lifespan = config.lifespan_class(config)
        door = socket.create_server(("127.0.0.1", 0))
        await server.startup(sockets=[door])
        reader, writer = await asyncio.open_connection("127.0.0.1", door.getsockname()[1])
        began = time.monotonic()
        writer.write(sent)
        try:
            while answer and time.monotonic() - began < 10 and server.server_state.connections:
                await asyncio.sleep(0.05)  # the reader's buffer is full at once
            while time.monotonic() - began < 10 and not answer and not reader.at_eof():
                writer.write(b"x")
                await writer.drain()
                await asyncio.wait([asyncio.ensure_future(reader.read(1000))], timeout=0.1)
        except ConnectionError:
            pass
        took = time.monotonic() - began
        writer.close()
        await server.shutdown(sockets=[door])
        return took

    with ThreadPoolExecutor(1) as apart:  # the loop of a browser may run in this thread
        return apart.submit(asyncio.run, waited()).result()


TABLES = (
    "".join(f"[a{k}]\n" for k in range(50_000)),
    "".join(f"[bodies.b{k}]\n" for k in range(50_000)),
    "[[x]]\n" * 50_000,
    "".join(f"  [a.b{k}]\nx = 1\n" for k in range(50_000)),
)


@pytest.mark.parametrize("tables", TABLES, ids=["tables", "bodies", "arrays", "inside"])
def test_fifty_thousand_tables_are_refused_at_once(lab, tables, monkeypatch):
    """Before the text is parsed, which would take minutes."""
    found = lab.result("check", {"text": tables})
    assert not found["ok"] and "tables" in found["faults"][0]["message"]
    monkeypatch.setattr("dalembert.model.toml.tomllib", None)
    with pytest.raises(ModelError, match="tables"):
        read_text(tables)
