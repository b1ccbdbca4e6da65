"""Compiles LLVM's language to machine code for this computer's processor."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock
from typing import Any

from dalembert.programs import sines
from dalembert.programs.llvm import ROWS, Text

# Vector and encoding features that change no result: no fused products, and no features that need special support by
# the operating system. LLVM reports which of them this computer has.
WANTED = ("sse3", "ssse3", "sse4.1", "sse4.2", "avx", "avx2", "avx512f", "avx512vl", "avx512dq", "avx512bw",
          "bmi", "bmi2", "popcnt", "lzcnt", "neon")  # fmt: skip
_LOCK = Lock()


@lru_cache(maxsize=1)
def features() -> str:
    import llvmlite.binding as llvm

    host = llvm.get_host_cpu_features()
    return ",".join(f"+{name}" for name in WANTED if host.get(name))


@lru_cache(maxsize=1)
def _target() -> Any:
    """The processor's target, with the sines that all programs call and `rows`, which calls all programs."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    engine = _linked(target, "\n".join([sines.module([Text(width) for width in sines.WIDTHS]), ROWS]), 1)
    for width in sines.WIDTHS:
        llvm.add_symbol(sines.name(width), engine.get_function_address(sines.name(width)))
    return target, engine


def linked(text: str, level: int) -> Any:
    """An engine that holds the code of a module. It must live as long as the code may be called."""
    with _LOCK:
        return _linked(_target()[0], text, level)


def object_code(text: str, level: int, processor: str) -> bytes:
    """A module as an object file (ELF) for the plainest processor of a kind, to be taken elsewhere.

    On arm64, the register x18 belongs to some systems.
    """
    import llvmlite.binding as llvm

    with _LOCK:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        target = llvm.Target.from_triple(f"{processor}-unknown-linux-gnu")
        features = "+reserve-x18" if processor == "aarch64" else ""
        machine = target.create_target_machine(features=features, opt=level, reloc="pic", codemodel="small")
        module = llvm.parse_assembly(text)
        module.triple = target.triple
        module.verify()
        return machine.emit_object(module)


def rows() -> int:
    """The address of `rows`."""
    with _LOCK:
        return _target()[1].get_function_address("rows")


def _linked(target: Any, text: str, level: int) -> Any:
    import llvmlite.binding as llvm

    machine = target.create_target_machine(features=features(), opt=level, codemodel="jitdefault", jit=True)
    module = llvm.parse_assembly(text)
    module.verify()
    engine = llvm.create_mcjit_compiler(module, machine)  # the engine takes over the machine
    engine.finalize_object()
    return engine
