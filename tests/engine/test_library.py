"""The engine's library: its sentence if it cannot be loaded; every processor of its kind can run it."""

from __future__ import annotations

import ctypes as c
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dalembert.engine import checksum, interface, library
from dalembert.engine.build import KINDS, X86

BUILT = library.ROOM / library.library_name()
ARM64_ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\xb7\x00" + bytes(4000)  # for another processor


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the engine that tests may damage."""
    shutil.copy(BUILT, tmp_path)
    shutil.copy(checksum.checksum_file(BUILT), tmp_path)
    monkeypatch.setattr(library, "ROOM", tmp_path)
    monkeypatch.delenv("DALEMBERT_ENGINE", raising=False)
    return tmp_path


def test_structs_and_numbers_are_those_of_the_headers() -> None:
    """Some of them, as they are written there."""
    names = [name for name, _ in interface.Signal._fields_]
    assert names == ["place", "count", "jumps", "times", "cubics"]
    assert dict(interface.Plan._fields_)["settings"] is interface.Settings
    assert interface.Code._fields_ == [("function", c.c_void_p), ("data", c.c_void_p)]
    assert (interface.NO_POSITION, interface.INTERRUPTED, interface.COUNTED, interface.NOTES) == (30, -1, 4, 5)
    assert interface.Status.KINK_TOUCHED == 45
    assert interface.Status(26).name == "STUCK"
    with pytest.raises(AttributeError, match="no struct or number Nothing"):
        _ = interface.Nothing


def test_functions_have_the_types_of_the_headers() -> None:
    functions = interface.functions()
    assert functions["dalembert_run"] == (c.c_int, [c.c_void_p, c.c_void_p, c.c_long])
    assert functions["dalembert_sources"] == (c.c_char_p, [])
    assert functions["dalembert_worker_memory"] == (c.c_longlong, [c.c_void_p] * 3)
    assert functions["dalembert_set"][0] is None


def test_words_of_events_are_those_of_the_headers() -> None:
    text = (library.ROOM / "desk.hpp").read_text(encoding="utf-8")
    kinds = re.search(r"enum EventKind : int \{(.*?)\}", text)
    assert kinds is not None
    for name, word in zip(kinds[1].split(","), interface.EVENT_KINDS, strict=True):
        assert name.strip().lower().startswith(word)


def refusal() -> str:
    with pytest.raises(library.EngineError) as said:
        library.library.__wrapped__()
    sentence = str(said.value)
    assert sentence.endswith(library.REMEDY)
    assert "\n" not in sentence
    return sentence


def test_a_whole_copy_loads(room: Path) -> None:
    assert library.library.__wrapped__().dalembert_sources().decode() == library.sources()


def test_a_missing_library(room: Path) -> None:
    (room / BUILT.name).unlink()
    assert f"there is no {room / BUILT.name}" in refusal()


@pytest.mark.parametrize("kept", [0.0, 0.001, 0.5, 0.99])
def test_a_truncated_library(room: Path, kept: float) -> None:
    """The damage is found before loading: the system would end the process by a bus error."""
    data = BUILT.read_bytes()
    (room / BUILT.name).write_bytes(data[: int(kept * len(data))])
    assert "is damaged" in refusal()


def test_one_wrong_byte(room: Path) -> None:
    data = bytearray(BUILT.read_bytes())
    data[len(data) // 2] ^= 1
    (room / BUILT.name).write_bytes(data)
    assert "is damaged" in refusal()


def test_a_library_without_its_checksum(room: Path) -> None:
    checksum.checksum_file(room / BUILT.name).unlink()
    assert "is damaged" in refusal()


def test_a_checksum_that_is_no_text(room: Path) -> None:
    checksum.checksum_file(room / BUILT.name).write_bytes(b"\xff\xfe")
    assert "is damaged" in refusal()


def test_a_folder_in_place_of_the_library(room: Path) -> None:
    (room / BUILT.name).unlink()
    (room / BUILT.name).mkdir()
    assert f"there is no {room / BUILT.name}" in refusal()


@pytest.mark.parametrize("data", [b"no library at all" * 100, ARM64_ELF], ids=["text", "arm64"])
def test_a_library_of_another_platform(room: Path, data: bytes) -> None:
    (room / BUILT.name).write_bytes(data)
    checksum.seal(room / BUILT.name)
    assert "cannot be loaded on this machine" in refusal()


def test_a_library_without_a_function(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "functions", lambda: {"dalembert_of_tomorrow": (None, [])})
    assert "dalembert_of_tomorrow" in refusal()


def test_a_library_of_other_sources(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence says that the sources differ, even if functions are missing as well."""
    monkeypatch.setattr(library, "sources", lambda: "0123456789abcdef")
    monkeypatch.setattr(library, "functions", lambda: {"dalembert_of_tomorrow": (None, [])})
    assert "was built from other sources" in refusal()


def test_a_library_with_other_structs(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "digest", lambda: "0123456789abcdef")
    assert "does not fit this version" in refusal()


def test_the_command_line_says_it_in_one_line(room: Path) -> None:
    """Exit status 1: nothing is wrong with the model."""
    spoilt = room / BUILT.name
    spoilt.write_bytes(b"damaged")
    done = subprocess.run(
        [sys.executable, "-m", "dalembert", "simulate", "simple-pendulum"],
        capture_output=True, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "DALEMBERT_ENGINE": str(spoilt)},
    )  # fmt: skip
    assert done.returncode == 1
    assert "cannot be loaded on this machine" in done.stderr
    assert "Traceback" not in done.stderr


X86_ELF = sys.platform == "linux" and platform.machine().lower().startswith(X86)


@pytest.mark.skipif(not X86_ELF or not shutil.which("objdump"), reason="needs objdump and an ELF library of x86-64")
def test_wide_instructions_are_in_functions_of_their_kind_alone() -> None:
    """No AVX instructions outside of the parts that are selected at run time: the rest runs on any x86-64."""
    listing = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", "-M", "intel", str(BUILT)], capture_output=True, text=True, check=True
    )
    function, wide = "", {"avx2": 0, "avx512": 0}
    for line in listing.stdout.splitlines():
        if start := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            function = start[1]
            continue
        kind = next((kind for kind in KINDS if f"dalembert_{kind}" in function or f"lean_{kind}" in function), "")
        words = line.split("\t")
        if len(words) > 1 and (words[1].startswith("v") or re.search(r"\b[yz]mm\d", line)):
            assert kind in wide, f"{function}: {line}"
            assert kind == "avx512" or "zmm" not in line, f"{function}: {line}"
            wide[kind] += 1
    assert wide["avx2"] > 1000 and wide["avx512"] > 1000


def test_tables_are_those_of_their_tool() -> None:
    """The engine's constants are written by a tool, to the last digit."""
    tool = Path(__file__).parents[2] / "tools" / "engine_tables.py"
    written = subprocess.run([sys.executable, str(tool)], capture_output=True, encoding="utf-8", check=True).stdout
    assert written == (library.ROOM / "tables.hpp").read_text(encoding="utf-8")
