"""Attacks that were tried on the lab and failed, by kind. Each is a row of a table; `test_attacks.py` tries them all.

A kind is a way in: another encoding of a path, another header that should decide nothing, another text that should be
executed by nobody. What is refused says so with a status between 400 and 499, or closes the connection.
"""

# ruff: noqa: E501
from __future__ import annotations

import errno
import gzip
import json
import socket
import zlib

from dalembert.collection import text

TRAVERSALS = (  # behind a prefix of an address
    "../pool.py", "..%2fpool.py", "%2e%2e/pool.py", "%2e%2e%2fpool.py", "%2E%2E%2Fpool.py", "..\\pool.py", "..%5cpool.py",
    "%252e%252e%252fpool.py", "%c0%ae%c0%ae/pool.py", "%e0%80%ae%e0%80%ae/pool.py", "..;/pool.py", "....//pool.py",
    ".%2e/pool.py", "..%00/pool.py", "lab.js%00.txt", "%2fetc%2fpasswd", "/etc/passwd", "file:%2f%2f%2fetc%2fpasswd",
    "~root", "%uff0e%uff0e/pool.py", "%ef%bc%8e%ef%bc%8e/pool.py", "lab.js/.", "lab.js.", "LAB.JS", "lab.js~",
    ".lab.js.swp", ".git/config", "index.html", "%0d%0aSet-Cookie:%20x=1", "lab.js%3f", "..%2f..%2f..%2f..%2fetc%2fshadow",
    "*", "{lab.js}", "lab.js?/../../pool.py", "a" * 3000,
)  # fmt: skip
PREFIXES = ("/static/lab/", "/static/view/", "/api/gallery/", "/api/picture/")
FOUND = {("/static/lab/", "lab.js?/../../pool.py"): 200}  # a question mark ends an address: this is lab.js

METHODS = ("PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "PROPFIND", "MKCOL", "MOVE", "PURGE", "get", "*")
ROUTES = ("/", "/static/lab/lab.js", "/api/gallery", "/api/motion", "/api/save", "/api/open", "/api/file", "/api/stop")

HOSTS = (  # {port}: the lab's own
    "127.0.0.1:{port}.", "0.0.0.0:{port}", "127.1:{port}", "2130706433:{port}", "0x7f000001:{port}", "017700000001:{port}",
    "[::1]:{port}.evil", "[::ffff:127.0.0.1]:{port}", "127.0.0.1:{port}, evil.example", "evil.example#127.0.0.1:{port}",
    "127.0.0.1:{port}/", "127.0.0.1:{port}?", "user@127.0.0.1:{port}", "127.0.0.1:0{port}", "127.0.0.1 :{port}",
    "127.0.0.1\t:{port}", "localhost.:{port}", "sub.localhost:{port}", "127.0.0.1.nip.io:{port}", "*", "null",
)  # fmt: skip
ORIGINS = (
    "http://127.0.0.1:{port}.evil.example", "http://127.0.0.1:{port}@evil.example", "http://evil.example#127.0.0.1:{port}",
    "file://", "chrome-extension://abcdefgh", "moz-extension://x", "http://0.0.0.0:{port}", "http://127.1:{port}",
    "http://127.0.0.1:{port}/", "http://127.0.0.1:{port} http://evil.example", "//127.0.0.1:{port}", "127.0.0.1:{port}",
    "http://127.0.0.1:1", "http://127.0.0.1:{port}\\evil", "data:", "blob:http://127.0.0.1:{port}", "undefined", "",
)  # fmt: skip
FETCHES = ("cross-site", "same-site", "none", "Same-Origin", "same-origin, cross-site", "", "x")
TOKENS = (  # {token}: the right one
    "{token}%00", "{token} x", "{token},{token}", '"{token}"', "Bearer {token}", "{token};", "{token}=",
    "*", "null", "undefined", "true", "1", "[]", "{{token}}", "' OR 1=1 --", "{token}/../{token}", "{token}\u00e9", "a" * 4000,
)  # fmt: skip
IGNORED = (  # headers that some servers believe, beside a wrong token
    {"x-forwarded-host": "127.0.0.1"}, {"x-forwarded-for": "127.0.0.1"}, {"forwarded": "for=127.0.0.1;host=localhost"},
    {"x-original-url": "/"}, {"x-rewrite-url": "/"}, {"x-http-method-override": "GET"}, {"x-method-override": "GET"},
    {"authorization": "Bearer {token}"}, {"authorization": "Basic {token}"}, {"x-csrf-token": "{token}"},
    {"cookie": "dalembert-lab-{port}={token}"}, {"x-real-ip": "127.0.0.1"}, {"x-host": "127.0.0.1:{port}"},
    {"x-lab-tokens": "{token}"}, {"proxy-authorization": "{token}"}, {"referer": "http://127.0.0.1:{port}/?token={token}"},
    {"upgrade-insecure-requests": "1"}, {"access-control-request-method": "POST"}, {"service-worker": "script"},
)  # fmt: skip
TYPES = (
    "text/json", "application/xml", "application/jsonp", "text/html", "application/json-patch+json", "application/*",
    "application/ json", "json", "application/json,text/plain", "multipart/form-data", "application/octet-stream", "\t",
)  # fmt: skip

GOOD = b'{"text": "[coordinates]\\nx = 0\\n"}'
BODIES = (  # of POST /api/check, that are no request
    b"\xef\xbb\xbf" + GOOD, GOOD.decode().encode("utf-16"), GOOD.decode().encode("utf-32"), GOOD + b"x", GOOD + GOOD,
    b"// c\n" + GOOD, b"{'text': 'x'}", b'{"text": "a\nb"}', b'{"text": "\x00"}', b'{"text": "\\x41"}', b'{"text": "\\u00"}',
    b'{"text": undefined}', b'{text: "x"}', b'{"text": "x",}', b'{"text" "x"}', b'[{"text": "x"}]', b'"text"', b"null", b"1e5",
    b'{"__proto__": {"text": "x"}}', b'{"constructor": 1}', b'{"text": {"__proto__": 1}}', b'{"text": ["x"]}',
    b'{"TEXT": "x"}', b'{"text ": "x"}', b'{"text\\u0000": "x"}', b'{"te\\ud800xt": "x"}', b"{" + b'"a":1,' * 50_000 + b'"b":1}',
    b'{"text": "\\udfff\\ud800"}', gzip.compress(GOOD), zlib.compress(GOOD), gzip.compress(b" " * 1_900_000), b"PK\x03\x04" + GOOD,
    b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><x>&e;</x>",
    b"--x\r\nContent-Disposition: form-data; name=text\r\n\r\nx\r\n--x--", b"text=x&client=y", b"!!python/object:os.system",
    b"\x80\x04\x95", b"\x93NUMPY", b"\xde\xad\xbe\xef", b"%7B%22text%22%3A1%7D", b"\xf0\x28\x8c\xbc", b"\xed\xa0\x80",
)  # fmt: skip

RAW = (  # {host}, {token}: whole requests, byte by byte
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET /\x00 HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost : {host}\r\n\r\n",
    b"GET / HTTP/1.1\r\n Host: {host}\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost:\r\n {host}\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {host}\r\nX-A: a\x00b\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {host}\r\nX(A): a\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {host}\r\n: a\r\n\r\n",
    b"GET / HTTP/1.1\rHost: {host}\r\r",
    b"GET  / HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"GET / HTTP/1.1 x\r\nHost: {host}\r\n\r\n",
    b"GET / HTTP/1.10\r\nHost: {host}\r\n\r\n",
    b"GET / ICY/1.0\r\n\r\n",
    b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
    b"*1\r\n$4\r\nPING\r\n\r\n",
    b"EHLO evil.example\r\n\r\n",
    b"\x05\x01\x00\r\n\r\n",
    b"\x00" * 2000,
    b"\r\n" * 5000 + b"X\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    b"GET /api/motion HTTP/1.1\r\nHost: {host}\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n",
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nContent-Type: application/json\r\n"
    b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n{{}}   ",
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nContent-Type: application/json\r\n"
    b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nTransfer-Encoding: chunked\r\n\r\n2;" + b"a" * 70_000,
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{{}}xx\r\n",
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nContent-Length: +2\r\n\r\n{{}}",
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nContent-Length: 0x2\r\n\r\n{{}}",
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nContent-Length: 2, 2\r\n\r\n{{}}",
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nContent-Length: 1e9\r\n\r\n{{}}",
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nExpect: 100-continue\r\nContent-Length: 9999999\r\n\r\n",
    b"POST /api/check HTTP/1.1\r\nHost: {host}\r\nX-Lab-Token: {token}\r\nX-Lab-Token: {token}\r\nContent-Length: 2\r\n\r\n{{}}",
    b"GET /api/gallery HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nOrigin: http://evil.example\r\nX-Lab-Token: {token}\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {host}\r\n" + b"Cookie: a=b\r\n" * 9000 + b"\r\n",
    b"GET / HTTP/1.1\r\nHost: {host}\r\nRange: bytes=" + b"0-0," * 30_000 + b"\r\n\r\n",
)  # fmt: skip

NAMES = (  # of files to be opened or saved
    "\u2024\u2024/x.toml", "\u202egnp.toml", "x.toml ", "x.toml.", "x.toml/", "x.toml\n", "x.TOML", "aux.toml", "NUL.toml",
    "com1.x.toml", "a:b.toml", "a|b.toml", "*.toml", "?.toml", " .toml", "-rf.toml", "--help.toml", "x.toml.sh", "x.toml%00",
    "\U0001f600.toml", "\uff0e\uff0e\uff0fx.toml", "$HOME.toml", "`id`.toml", "$(id).toml", "x;id.toml", "&.toml", "<x>.toml", "'.toml",
    '".toml', "\\\\host\\share.toml", "C:\\x.toml", "//host/x.toml", "x/../../y.toml", "./x.toml", "pipe.toml", "loop.toml", "gone.toml",
    "x\u0301.toml", "x" * 300 + ".toml", "toml", ".", "..", "x.toml\x00.png", "data:x.toml", "http://x.toml", "%2e%2e%2fx.toml",
)  # fmt: skip

EXPRESSIONS = (  # texts that are no expressions of a model
    "__import__('os').system('id')", "().__class__.__base__", "lambda: 0", "exec('1')", "eval('1')", "open('/etc/passwd')",
    "[1, 2][0]", "{1: 2}", "(1, 2)", "x := 1", "x == 1", "x = 1", "x if 1 else 2", "x or 1", "not x", "yield x", "import os",
    "f'{x}'", "'x'", '\\"x\\"', "`id`", "$(id)", "${7*7}", "{{7*7}}", "#{7*7}", "<%= 7 %>", "%s%n", "x; x", "x, x", "x.__dict__",
    "x.real", "x[0]", "x(1)", "sin", "sin()", "sin(x, x)", "atan2(x)", "min()", "if(x, 1)", "d(x)", "x!", "x!!", "x~", "~x", "x & 1",
    "x | 1", "x << 2", "x // 2", "x % 2", "x @ x", "@x", "1_000", "0x1F", "1e", "1e999", ".", "1..2", "1.2.3", "nan", "inf", "oo",
    "I", "E", "zoo", "None", "True", "self", "os", "x''", "''x", "x'y", "2x", "\u0661", "\uff11", "\u03c7", "\u0445", "x\u200b",
    "x\u202e", "x\u0301", "\uff08x\uff09", "x\u2212 1", "x\u00d72", "x\u00b2", "\\\\sin(x)", "\\\\input{x}", "<script>", "x<1", "1 < x < 2",
    "", " ", "(", ")", "((x)", "x +", "* x", "x ** ** 2", "9^9^9^9", "x^1001", "x^(10^9)", "(x^1000)^1000", "1/0", "0^(-1)", "log(0)",
    "sqrt(-1)", "asin(2)", "t t", "pi pi", "x" * 300, "x\u0000", "x\\n\\n+", "import('x')", "constructor", "toString()",
)  # fmt: skip

TABLES = (
    "parameters",
    "coordinates",
    "definitions",
    "bodies",
    "frames",
    "points",
    "constraints",
    "events",
    "inputs",
    "states",
)
HOSTILE = ("a<b", "a b", "=1+1", "@SUM", "a'b", "__class__", "a\u202eb", "a;b", "../x", "\u03b1", "1a", "")  # as names

VALUES = (  # entries of a model that are no values
    "[parameters]\nm = nan", "[parameters]\nm = inf", '[parameters]\nm = "-1e999"', "[parameters]\nm = true",
    "[parameters]\nm = 1979-05-27", "[parameters]\nm = [1]", "[parameters]\nm = { value = 1, __class__ = 2 }",
    '[parameters]\na = "b"\nb = "a"', '[parameters]\na = "a"', "[parameters]\nm = 1" + "0" * 400, "[parameters]\nm = {}",
    '[parameters]\nm = { value = 1, unit = "no_such_unit" }', '[parameters]\nm = { value = 1, unit = "__import__" }',
    '[parameters]\nm = { value = 1, unit = "kg**1e9" }', "[parameters]\nm = { value = 1, min = nan }",
    "[simulation]\nduration = -1", "[simulation]\nduration = nan", '[simulation]\nduration = "x"', "[simulation]\nsamples = 0",
    "[simulation]\nsamples = 1.5", "[simulation]\nsamples = 10000000000", "[simulation]\ntolerance = 0", "[simulation]\ntolerance = 2",
    '[simulation]\nmethod = "../x"', '[simulation]\nmethod = ["kane"]', "[simulation]\nunknown = 1", "[nowhere]\nx = 1", "[[bodies]]",
    "bodies = 1", "title = 3", 'gravity = "x"', "gravity = [0, 0]", "[coordinates]\nx = 0\nx = 1", "[coordinates]\n[coordinates]",
    "[a.b]\n[a]\nb = 1", 'x = "', "x = '''", "= 1", "[", "[]", "x = 1 y = 2", "\ufeff\ufeff[parameters]", "x = \u0000", "x = 0b2",
    "x = 1979-13-01", "\rx = 1", "x = {a = 1\n}", '[bodies.b]\nmass = 1\nposition = "nowhere"', "[bodies.b]\nmass = -1\nposition = [0, 0, 0]",
    "[bodies.b]\nmass = 1\nposition = [0, 0, 0]\nshape = { mesh = 'x.exe' }",
    "[inputs]\nu = { signal = 'x.py', column = 'a', time = 't' }", "[inputs]\nu = { times = [1, 0], values = [1, 2] }",
)  # fmt: skip

MODEL = text("simple-pendulum")
AXIS = {"name": "m", "from": 1.0, "to": 2.0, "count": 3}
WRONG = [None, True, 7, 1.5, [], ["x"], {}, {"a": 1}]


def bodies(folder):
    """Bodies of POST requests: (path, bytes)."""
    for value in WRONG:
        yield "/api/motion", json.dumps({"text": value}).encode()
        yield "/api/motion", json.dumps(value).encode()
        if value is not None and not isinstance(value, str):
            yield "/api/check", json.dumps({"text": MODEL, "lane": value, "client": "c"}).encode()
            yield "/api/derive", json.dumps({"text": MODEL, "method": value}).encode()
            yield "/api/open", json.dumps({"name": value}).encode()
            yield "/api/stop", json.dumps({"job": value}).encode()
        if not isinstance(value, dict) and value is not None:
            yield "/api/motion", json.dumps({"text": MODEL, "settings": value}).encode()
        if (not isinstance(value, (int, float)) and value is not None) or value is True:
            yield "/api/motion", json.dumps({"text": MODEL, "until": value}).encode()
        if value not in (None, 7):
            yield "/api/motion", json.dumps({"text": MODEL, "samples": value}).encode()
        if value is not None and value != ["x"]:
            yield "/api/compare", json.dumps({"text": MODEL, "methods": value}).encode()
        if value is not None:
            yield "/api/vary", json.dumps({"text": MODEL, "study": "sweep", "vary": value}).encode()
            yield "/api/vary", json.dumps({"text": MODEL, "study": value, "vary": [AXIS]}).encode()
        if value is not None and value != ["x"]:
            yield "/api/vary", json.dumps({"text": MODEL, "study": "sweep", "vary": [AXIS], "records": value}).encode()
    for wrong in (
        *({"count": 10**9}, {"count": 1}, {"count": 2.5}, {"from": 2}, {"to": None}, {"name": "@/etc/passwd"}),
        *({"name": "m,@/etc/passwd"}, {"name": "no_such"}, {"more": 1}, {"from": "0"}),
    ):
        yield "/api/vary", json.dumps({"text": MODEL, "study": "sweep", "vary": [{**AXIS, **wrong}]}).encode()
    for record in ("final __import__('os')", "max", "crossing", "d(m)/d(", "m at 0:1:1000000000", "../x", ""):
        yield "/api/vary", json.dumps({"text": MODEL, "study": "sweep", "vary": [AXIS], "records": [record]}).encode()
    yield "/api/vary", json.dumps({"text": MODEL, "study": "sweep", "vary": [AXIS] * 3}).encode()
    for samples in (-1, 0, 1, 10**9, 10**400):
        yield "/api/motion", json.dumps({"text": MODEL, "samples": samples}).encode()
    for number in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 5000):
        yield "/api/motion", b'{"text": "x = 1", "until": ' + number.encode() + b"}"
        yield "/api/motion", b'{"text": "x = 1", "settings": {"m": ' + number.encode() + b"}}"
    yield "/api/motion", b""
    yield "/api/motion", b"{"
    yield "/api/motion", b"\xff\xfe{}"
    yield "/api/motion", b"\x00" * 1000
    yield "/api/motion", b"[" * 100_000 + b"]" * 100_000
    yield "/api/motion", b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    yield "/api/motion", b'{"text": "\\ud800"}'
    yield "/api/motion", json.dumps({"text": "x" * 1_500_000}).encode()
    yield "/api/motion", b" " * 3_000_000
    yield "/api/motion", json.dumps({"text": MODEL, "settings": {f"n{i}": 1 for i in range(5000)}}).encode()
    yield "/api/motion", json.dumps({"text": MODEL, "settings": {"x" * 300: 1}}).encode()
    yield "/api/motion", json.dumps({"text": MODEL, "settings": {"no_such_name": 1}}).encode()
    yield "/api/motion", json.dumps({"text": MODEL, "until": -5}).encode()
    yield "/api/motion", json.dumps({"text": MODEL, "until": 1, "tolerance": 0}).encode()
    yield "/api/motion", json.dumps({"text": MODEL, "method": "no-such-method"}).encode()
    yield "/api/motion", json.dumps({"text": MODEL, "__class__": "x"}).encode()
    yield "/api/motion", json.dumps({"text": MODEL, "lane": "../../x", "client": "c"}).encode()
    yield "/api/motion", json.dumps({"text": "x = " + "[" * 5000}).encode()
    yield "/api/motion", json.dumps({"text": "a" + ".a" * 500 + " = 1"}).encode()
    yield "/api/motion", json.dumps({"text": "__import__('os').system('true')"}).encode()
    evil = MODEL.replace('"m"', f"\"__import__('os').system('touch {folder.parent / 'owned'}')\"")
    yield "/api/motion", json.dumps({"text": evil}).encode()
    yield "/api/file", json.dumps({"text": MODEL}).encode()
    yield "/api/file", json.dumps({"text": MODEL, "kind": "exe"}).encode()
    yield "/api/file", json.dumps({"text": MODEL, "kind": "../x.csv"}).encode()
    yield "/api/stop", json.dumps({"job": "nothing"}).encode()
    for name in (
        *(
            "../outside.toml",
            "/etc/passwd",
            "..\\outside.toml",
            "link.toml",
            "a/b.toml",
            "%2e%2e/outside.toml",
            ".toml",
        ),
        *(
            "x.py",
            "no-such.toml",
            "con.toml",
            "x\u0000.toml",
            "a..toml",
            "~/x.toml",
            "file:///etc/passwd",
            "",
            "x" * 99,
        ),
        *("folder.toml", "bytes.toml"),
    ):
        yield "/api/open", json.dumps({"name": name}).encode()
    absolute = str(folder.parent / "new.toml")
    for name in ("../new.toml", absolute, "link.toml", "x.sh", "inside.toml", ".hidden.toml", "folder.toml"):
        yield "/api/save", json.dumps({"name": name, "text": "x = 1"}).encode()


def status_of(port, data):
    """The status of the answer, None if the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as pipe:
        try:
            pipe.sendall(data)
            pipe.shutdown(socket.SHUT_WR)
            answer = pipe.recv(200)
        except ConnectionError:
            return None
        except OSError as error:  # the server closed it before we had sent everything
            if error.errno != errno.ENOTCONN:
                raise
            return None
    return int(answer.split()[1]) if answer.startswith(b"HTTP/") else None
