"""Compiled functions as parts of an entry: translated one by one, optimized and made machine code once, all together.

numba by itself optimizes everything that a function calls again at every level of calls, which takes several times
longer than all the rest, and makes each function callable from Python, which parts never are. An entry is also told
that nobody else calls its parts: LLVM then drops the arguments that they do not look at, most of what an array is.
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
from llvmlite.binding import Linkage
from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.extending import overload


class Part(JITCodeLibrary):
    """The code of a part, kept to be linked."""

    def finalize(self) -> None:
        self._finalized = True


class Whole(JITCodeLibrary):
    """The code of an entry with that of all its parts."""

    def finalize(self) -> None:
        libraries = self._linking_libraries
        for library in libraries:  # which grows on the way: callers come before what they call, as linking wants it
            if isinstance(library, Part):
                libraries += [each for each in library._linking_libraries if each not in libraries]
        super().finalize()

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        super()._optimize_final_module()


class PartCompiler(Compiler):
    """numba's compiler as it is, but for where the code goes."""

    def define_pipelines(self) -> Any:
        state = self.state
        if state.library is None:
            state.library = Part(state.targetctx.codegen(), state.func_id.func_qualname)
            state.flags.no_compile = True
        return super().define_pipelines()

    def compile_extra(self, func: Any) -> Any:
        result = super().compile_extra(func)
        if result.entry_point is not None:
            return result
        # callers find the part by this object; numba wants it to be a function, though it leads nowhere
        name = result.fndesc.qualname.rpartition(".")[2]
        key = _dynfunc.make_function(result.fndesc.lookup_module(), name, "", 0, result.environment, (result.library,))
        self.state.targetctx.insert_user_function(key, result.fndesc, [result.library])
        return result._replace(entry_point=key)


class WholeCompiler(Compiler):
    """numba's compiler as it is, but for where the code goes."""

    def define_pipelines(self) -> Any:
        state = self.state
        if state.library is None:
            state.library = Whole(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return super().define_pipelines()


PART = {
    "error_model": "numpy", "nogil": True, "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
    "pipeline_class": PartCompiler,
}  # fmt: skip


def part(function: Any) -> Any:
    """The function as it is, known to numba: by overload, as a dispatcher would compile it anew for every constant."""
    overload(function, strict=False, jit_options=PART)(lambda *arguments: function)
    return function


entry = numba.njit(error_model="numpy", nogil=True, cache=True, _nrt=False, pipeline_class=WholeCompiler)


IMPORTS = re.compile(rb"^from dalembert\.simulate(?:\.(\w+))? import (\([^)]*\)|[^\n]*)", re.MULTILINE)


def stamp(*modules: ModuleType) -> int:
    """What an entry's cached machine code depends on besides the entry's own file, which is all that numba looks at.

    These modules and all that they import from beside them: a function called or a number that was compiled in.
    """
    folder = Path(__file__).parent
    given = {module.__name__: Path(str(module.__file__)) for module in modules}
    texts = {name: file.read_bytes() for name, file in given.items() if file.parent != folder}
    waiting = [file.stem for file in given.values()]
    while waiting:
        name = waiting.pop()
        if name in texts or not (folder / f"{name}.py").exists():  # a name out of the package itself
            continue
        texts[name] = (folder / f"{name}.py").read_bytes()
        for module, names in IMPORTS.findall(texts[name]):
            waiting += [module.decode()] if module else [word.decode() for word in re.findall(rb"\w+", names)]
    return zlib.crc32(b"".join(texts[name] for name in sorted(texts)))
