"""Every kind of attack that once failed is tried again: it is refused, nothing is told, and the lab goes on serving."""

from __future__ import annotations

import http.client
import json
import os
import threading
import time
from dataclasses import replace

import pytest

import attacks
from dalembert.errors import DalembertError
from dalembert.model.read import read_text
from lab_server import running

SECRETS = (b"root:", b"class Pool", b"Traceback", b"secret = 1")
MODEL = "[coordinates]\nx = 0\n"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    (folder / "inside.toml").write_text(MODEL)
    os.mkfifo(folder / "pipe.toml")
    (folder / "loop.toml").symlink_to("loop.toml")
    (folder / "gone.toml").symlink_to(folder.parent / "nowhere.toml")
    with running("--folder", str(folder), "--workers", "1") as lab:
        yield replace(lab, folder=folder)


@pytest.fixture(autouse=True)
def goes_on(request):
    """Behind every table of attacks on the server an honest request is answered."""
    yield
    if "lab" in request.fixturenames:
        assert request.getfixturevalue("lab").ask("/api/check", attacks.GOOD)[0] == 200


def refused(lab, path, body=None, method=None, headers=None):
    """The status of a request that must not be let in: None where the connection is closed on it."""
    try:
        status, answer, answered = lab.ask(path, body, method, headers)
    except (OSError, http.client.HTTPException, ValueError, UnicodeError):  # closed on it, or no header at all
        return None
    what = (path[:80], (body or b"")[:60], method, headers, status, answer[:120])
    assert not any(secret in answer for secret in SECRETS), what
    assert lab.token.encode() not in answer and lab.token not in str(answered), what
    assert "access-control-allow-origin" not in answered and "x" not in answered.get("set-cookie", ""), what
    assert status < 500, what
    return status


def filled(text, lab):
    return text.replace("{port}", str(lab.port)).replace("{token}", lab.token)


def own(lab, **further):
    return {"x-lab-token": lab.token, "content-type": "application/json"} | further


def test_there_are_as_many_kinds_as_once_failed(tmp_path):
    several = {attacks.PREFIXES: attacks.TRAVERSALS, attacks.METHODS: attacks.ROUTES, attacks.TABLES: attacks.HOSTILE}
    kinds = sum(max(len(one), len(two)) for one, two in several.items())  # of pairs those that differ in kind
    kinds += sum(len(getattr(attacks, name)) for name in (
        "HOSTS", "ORIGINS", "FETCHES", "TOKENS", "IGNORED", "TYPES", "BODIES", "RAW", "NAMES", "EXPRESSIONS", "VALUES",
    ))  # fmt: skip
    kinds += len(set(attacks.bodies(tmp_path)))
    assert kinds >= 487, kinds


@pytest.mark.parametrize("prefix", attacks.PREFIXES)
def test_no_address_leads_out(lab, prefix):
    for trick in attacks.TRAVERSALS:
        expected = attacks.FOUND.get((prefix, trick))
        status = refused(lab, prefix + trick)
        assert status == expected or (expected is None and (status is None or 400 <= status < 500)), (
            prefix,
            trick,
            status,
        )


def test_no_other_method_does_anything(lab):
    for method in attacks.METHODS:
        for path in attacks.ROUTES:
            assert refused(lab, path, method=method) in (None, 400, 403, 404, 405, 421), (method, path)


def test_headers_that_decide(lab):
    for key, values in (("host", attacks.HOSTS), ("origin", attacks.ORIGINS), ("sec-fetch-site", attacks.FETCHES)):
        for value in values:
            status = refused(lab, "/api/check", attacks.GOOD, headers=own(lab, **{key: filled(value, lab)}))
            assert status in (None, 400, 403, 421), (key, value, status)
    for token in attacks.TOKENS:
        status = refused(lab, "/api/check", attacks.GOOD, headers=own(lab, **{"x-lab-token": filled(token, lab)}))
        assert status in (None, 400, 403, 431), (token, status)


def test_headers_that_decide_nothing(lab):
    for headers in attacks.IGNORED:
        wrong = {"x-lab-token": "x", "content-type": "application/json"}
        given = wrong | {key: filled(value, lab) for key, value in headers.items()}
        assert refused(lab, "/api/check", attacks.GOOD, headers=given) == 403, headers
    for kind in attacks.TYPES:
        assert refused(lab, "/api/check", attacks.GOOD, headers=own(lab, **{"content-type": kind})) == 415, kind
    for encoding in ("gzip", "deflate", "br", "compress", "identity, gzip"):  # nothing is unpacked
        packed = own(lab, **{"content-encoding": encoding})
        assert refused(lab, "/api/check", attacks.BODIES[31], headers=packed) == 400, encoding


def test_bodies_that_are_no_requests(lab):
    for body in attacks.BODIES:
        status = refused(lab, "/api/check", body, headers=own(lab))
        assert status is not None and 400 <= status < 500, (body[:60], status)


def test_bytes_that_are_no_http(lab):
    fill = {b"{host}": f"127.0.0.1:{lab.port}".encode(), b"{token}": lab.token.encode(), b"{{}}": b"{}"}
    for raw in attacks.RAW:
        for place, value in fill.items():
            raw = raw.replace(place, value)
        status = attacks.status_of(lab.port, raw)
        assert status is None or 400 <= status < 500, (raw[:120], status)


def test_files_that_are_none_of_ours(lab):
    before = sorted(os.listdir(lab.folder.parent)), sorted(os.listdir(lab.folder))
    for name in attacks.NAMES:
        for path, data in (("open", {}), ("save", {"text": "x = 1"}), ("save", {"text": "x = 1", "replace": True})):
            body = json.dumps({"name": name, **data}).encode()
            status = refused(lab, f"/api/{path}", body, headers=own(lab))
            assert status is not None and 400 <= status < 500, (path, name, status)
    assert (sorted(os.listdir(lab.folder.parent)), sorted(os.listdir(lab.folder))) == before


def test_of_those_who_save_at_once_one_is_the_first(lab):
    found = []

    def save(k):
        body = json.dumps({"name": "race.toml", "text": f"k = {k}"}).encode()
        found.append((lab.ask("/api/save", body)[0], k))

    threads = [threading.Thread(target=save, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ((_, first),) = [one for one in found if one[0] == 200]
    assert sorted(status for status, _ in found) == [200] + 7 * [409]
    assert (lab.folder / "race.toml").read_text() == f"k = {first}"
    (lab.folder / "race.toml").unlink()


def test_nothing_of_an_answer_is_kept(lab):
    """No cache on the way keeps a page with its token, or an answer that another may be given."""
    for path in ("/", "/api/gallery", "/api/folder", "/nothing"):
        _, _, headers = lab.ask(path, headers=lab.visitor | {"x-lab-token": lab.token})
        assert headers["cache-control"] == "no-store", path


def faulty(text):
    """A text that must be refused, at once and in a sentence."""
    began = time.perf_counter()
    with pytest.raises(DalembertError) as raised:
        read_text(text)
    sentence = str(raised.value)
    assert sentence and "Traceback" not in sentence and time.perf_counter() - began < 5, text[:80]
    return sentence


def test_texts_that_are_no_expressions():
    for expression in attacks.EXPRESSIONS:
        faulty(f'[coordinates]\nx = 0.5\n[definitions]\na = "{expression}"\n')


@pytest.mark.parametrize("table", attacks.TABLES)
def test_names_that_are_no_names(table):
    for name in attacks.HOSTILE:
        others = "[coordinates]\nq = 0\n" if table != "coordinates" else ""
        faulty(f"{others}[{table}]\n{json.dumps(name)} = 1\n")


def test_entries_that_are_no_values():
    for text in attacks.VALUES:
        faulty(text)
