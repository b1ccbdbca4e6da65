"""The requests of the page, and the form of each answer.

A computation answers with lines of JSON: {"job": name}, any number of {"progress": x}, {"limit": seconds} if its time
was over, then {"result": …} or {"error": sentence, …}. If it is refused before its first message, the answer is plain
JSON with a status.
"""

from __future__ import annotations

import asyncio
import json
import math
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException

from dalembert import collection
from dalembert.collection.tags import tags
from dalembert.errors import ModelError
from dalembert.lab.asked import asked, read_json
from dalembert.lab.folder import Folder
from dalembert.lab.guard import ADDRESS, Door, Guard, policy
from dalembert.lab.limits import Limits
from dalembert.lab.pages import closed, index, static_files
from dalembert.lab.pool import Job, Pool
from dalembert.lab.refusal import Refusal
from dalembert.language import mark, tr

PATIENCE = 0.25  # seconds between checks whether the client is still connected
PROMPT = 8  # after this many checks of a running computation, its answer begins without a first message
RUN = ("method", "settings", "until", "samples", "tolerance", "client", "lane")
COMPUTING: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {  # task: required keys, optional keys
    "check": (("text",), ("client", "lane")),
    "derive": (("text",), ("method", "client", "lane")),
    "steps": (("text",), ("method", "client", "lane")),
    "motion": (("text",), (*RUN, "data")),
    "laboratory": (("text",), ("method", "client", "lane")),
    "compare": (("text",), ("methods", "settings", "until", "samples", "client", "lane")),
    "analyze": (("text",), ("settings", "client", "lane")),
    "vary": (("text", "study", "vary"), ("method", "settings", "until", "records", "steady", "client", "lane")),
}
COMPILED = {"motion", "file", "laboratory"}  # tasks that prefer a worker with the model compiled
MEDIA = {
    "toml": "application/toml",
    "csv": "text/csv",
    "json": "application/json",
    "nc": "application/x-netcdf",
    "parquet": "application/vnd.apache.parquet",
    "png": "image/png",
    "svg": "image/svg+xml",
    "html": "text/html",
    "gif": "image/gif",
    "mp4": "video/mp4",
    "tex": "application/x-tex",
}
ENDED = {404: mark("there is nothing at this address."), 405: mark("this address does not answer to that method.")}


@dataclass(frozen=True, slots=True)
class LabServer:
    """One running lab."""

    limits: Limits
    door: Door
    pool: Pool
    folder: Folder


def application(lab: LabServer) -> Guard:
    """The ASGI application."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        lab.pool.start()
        yield
        lab.pool.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    _page(app, lab)
    _gallery(app, lab)
    _computing(app, lab)
    _files(app, lab)

    @app.exception_handler(Refusal)
    async def refused(_: Request, refusal: Refusal) -> Response:
        return _refused(refusal)

    @app.exception_handler(HTTPException)
    async def ended(_: Request, error: HTTPException) -> Response:
        sentence = tr(ENDED.get(error.status_code, str(error.detail)))
        return JSONResponse({"error": sentence}, error.status_code, headers=error.headers)

    @app.exception_handler(Exception)
    async def failed(_: Request, error: Exception) -> Response:
        return JSONResponse(
            {"error": tr("a fault inside the lab ({name}). Please report it.", name=type(error).__name__)}, 500
        )

    return Guard(app, lab.door, lab.limits)


def _page(app: FastAPI, lab: LabServer) -> None:
    found = static_files()

    @app.get("/")
    async def page(request: Request) -> Response:
        door = lab.door
        if door.admits(request.query_params.get(ADDRESS)):  # removes the token from the address bar and its history
            moved = Response(status_code=303, headers={"location": "/"})
            moved.set_cookie(door.cookie, door.token, httponly=True, samesite="lax", path="/")
            return moved
        if not door.admits(request.cookies.get(door.cookie)):
            return Response(closed(), 403, media_type="text/html")
        nonce = secrets.token_urlsafe(16)
        content = index(door.token, nonce, lab.limits, lab.folder.path is not None)
        return Response(content, media_type="text/html", headers={"content-security-policy": policy(nonce)})

    @app.get("/static/{room}/{name}")
    async def static(room: str, name: str) -> Response:
        file = found.get(f"{room}/{name}")
        if file is None:
            raise HTTPException(404)
        return Response(file.content, media_type=file.type, headers={"cache-control": "no-cache"})


def _gallery(app: FastAPI, lab: LabServer) -> None:
    pictures: dict[str, bytes] = {}

    @app.get("/api/gallery")
    async def models() -> Response:
        found = []
        for name in collection.names():
            title, reference = collection.summary(name)
            found.append({"name": name, "title": title, "reference": reference, "tags": tags(collection.text(name))})
        return JSONResponse(found)

    @app.get("/api/gallery/{name}")
    async def model(name: str) -> Response:
        return JSONResponse({"name": name, "text": _gallery_text(name)})

    @app.get("/api/picture/{name}")
    async def picture(name: str) -> Response:
        text = _gallery_text(name)
        if name not in pictures:
            job = lab.pool.submit(Job("picture", {"text": text}, low=True))
            pictures[name] = await _answer(job)
        return Response(pictures[name], media_type="application/json")


def _gallery_text(name: str) -> str:
    try:
        return collection.text(name)
    except ModelError as error:
        raise Refusal(404, str(error)) from None


def _computing(app: FastAPI, lab: LabServer) -> None:
    def route(task: str, needed: tuple[str, ...], optional: tuple[str, ...]) -> None:
        @app.post(f"/api/{task}", name=task)
        async def compute(request: Request) -> Response:
            values = asked(await _data(request, lab), lab.limits, needed, optional)
            job = _job(task, {**values, "limit": lab.limits.seconds})
            return await _streamed(request, lab.pool, lab.pool.submit(job))

    for task, (needed, optional) in COMPUTING.items():
        route(task, needed, optional)

    @app.post("/api/stop")
    async def stop(request: Request) -> Response:
        name = asked(await _data(request, lab), lab.limits, ("job",))["job"]
        job = lab.pool.find(name)
        if job is None:
            raise Refusal(404, tr("this computation has already ended."))
        lab.pool.stop(job, keep=True)
        return JSONResponse({"stopping": name})

    @app.post("/api/file")
    async def file(request: Request) -> Response:
        values = asked(await _data(request, lab), lab.limits, ("text", "kind"), RUN)
        content = await _answer(lab.pool.submit(_job("file", values)), request, lab.pool)
        kind, _, ending = values["kind"].rpartition(".")
        name = "derivation" if kind else {"tex": "equations", "toml": "model"}.get(ending, "motion")
        headers = {"content-disposition": f"attachment; filename={name}.{ending}"}
        return Response(content, media_type=MEDIA[ending], headers=headers)


def _files(app: FastAPI, lab: LabServer) -> None:
    @app.get("/api/folder")
    async def names() -> Response:
        return JSONResponse({"names": lab.folder.names()})

    @app.post("/api/open")
    async def opened(request: Request) -> Response:
        name = asked(await _data(request, lab), lab.limits, ("name",))["name"]
        return JSONResponse({"name": name, "text": lab.folder.open(name, lab.limits.text)})

    @app.post("/api/save")
    async def saved(request: Request) -> Response:
        values = asked(await _data(request, lab), lab.limits, ("name", "text"), ("replace",))
        lab.folder.save(values["name"], values["text"], bool(values["replace"]))
        return JSONResponse({"name": values["name"]})


async def _data(request: Request, lab: LabServer) -> Any:
    """The JSON of a request. No more bytes than the limit are read."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(415, tr("the Content-Type is expected to be application/json."))
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > lab.limits.body:
            raise Refusal(
                413, tr("the request has more than {body} bytes, the most that is taken.", body=lab.limits.body)
            )
    return read_json(bytes(body))


def _job(task: str, values: dict[str, Any]) -> Job:
    client, lane = values.pop("client", None), values.pop("lane", None)
    method = values.get("method") or ""
    key = f"{method}\n{values['text']}" if task in COMPILED else ""
    return Job(task, values, lane=f"{client}/{lane}" if client and lane else None, key=key)


async def _told(job: Job, request: Request | None, pool: Pool | None, looks: float = math.inf) -> tuple[Any, ...]:
    """The next message of a job, or ("silence",) after so many checks. If the client is gone, the job is stopped."""
    while looks > 0:
        try:
            return await asyncio.wait_for(job.told.get(), PATIENCE)
        except TimeoutError:
            looks -= job.worker is not None
            if request is not None and pool is not None and await request.is_disconnected():
                pool.stop(job)
    return ("silence",)


async def _answer(job: Job, request: Request | None = None, pool: Pool | None = None) -> bytes:
    """The final answer of a job. Messages before it are ignored."""
    while True:
        word, *rest = await _told(job, request, pool)
        if word == "done":
            return rest[0]
        if word == "refused":
            raise rest[0]


async def _streamed(request: Request, pool: Pool, job: Job) -> Response:
    first = await _told(job, request, pool, PROMPT)  # so that a refusal has a status, and a long run its name
    if first[0] == "refused":
        return _refused(first[1])

    async def lines() -> AsyncIterator[bytes]:
        yield _line({"job": job.name})
        word, *rest = first
        try:
            while word in ("progress", "limit", "silence"):
                if rest:
                    yield _line({word: round(rest[0], 4)})
                word, *rest = await _told(job, request, pool)
        finally:
            pool.stop(job)  # no effect if the job is over
        if word == "done":
            yield b'{"result":' + rest[0] + b"}\n"
        else:
            yield _line(rest[0].answer)

    return StreamingResponse(lines(), media_type="application/x-ndjson")


def _line(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer, ensure_ascii=False).encode() + b"\n"


def _refused(refusal: Refusal) -> Response:
    return JSONResponse(refusal.answer, refusal.status)
