"""C99: one file and its header, without allocation, and with no library but libm.

    void NAME_parameters(double *p)
    void NAME_slopes(ARGUMENTS, double *a)              with ARGUMENTS: t, q, v, p, u; or t, q, v, s, p, u
    void NAME_energies(ARGUMENTS, double *e)
    void NAME_reactions(ARGUMENTS, double *lambda)
    void NAME_outputs(ARGUMENTS, double *y)
    void NAME_controls(ARGUMENTS, double *c)            of models with sampled controllers
    void NAME_linear(ARGUMENTS, double *A, double *B, double *C, double *D)       of `--what linear`

The header has the counts as macros, and an enumerator for every index: NAME_q_theta, NAME_p_mass, NAME_u_throttle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dalembert.columns import lines as wrapped
from dalembert.errors import ModelError
from dalembert.exchange.export.names import comment, identifiers
from dalembert.exchange.export.sheet import RATES, ExportSheet, renamed
from dalembert.language import Sentences, tr
from dalembert.programs.c99 import C, body
from dalembert.programs.program import Program

ENDING = ".c"
LETTERS = {"slopes": "a", "energies": "e", "reactions": "lambda", "outputs": "y", "controls": "c"}
ABOUT: Sentences = {
    "slopes": "a = q'' at the time t, the coordinates q, the speeds v = q', the parameters p and the inputs u, in SI "
    "units, where v meets the constraints. All of a is NAN where masses or constraints are singular. The output must "
    "not overlap the inputs, here and below.",
    "energies": "Kinetic energy e[0] and potential energy e[1].",
    "reactions": "The multipliers of the constraints; all are NAN where the masses or the constraints are singular.",
    "outputs": "Definitions and outputs of the model; NAN as above.",
    "controls": "The values that the sampled controllers compute at their instants, in the order of the inputs that "
    "hold them. These are the last of u.",
    "linear": "d(q', q'') = A d(q, q') + B du, dy = C d(q, q') + D du, with y the definitions and outputs of the "
    "model. Matrices are stored by rows. All are NAN where the masses or the constraints are singular. A matrix "
    "without entries is not written to.",
}


def written(sheet: ExportSheet, path: Path) -> dict[Path, str]:
    """The two files of slopes, by their paths."""
    told = {name: program for name, program in sheet.told().items() if len(program.outputs) > 1}
    told |= {"controls": sheet.controls()} if sheet.equations.sampled else {}
    heads = {name: _head_of(sheet, name) for name in LETTERS if name == "slopes" or name in told}
    lines = [*_slopes(sheet), ""]
    for name, program in told.items():
        watched = name in ("outputs", "reactions")
        letter, count = LETTERS[name], len(program.outputs) - watched
        lines += [f"void {sheet.name}_{name}({_arguments(sheet)}, double *{letter}) {{", *_read(sheet, program)]
        if watched:
            lines.append(f"  if (out[{count}] != 1.0) for (int i = 0; i < {count}; ++i) out[i] = NAN;")
        lines += [f"  for (int i = 0; i < {count}; ++i) {letter}[i] = out[i];", "}", ""]
    return _files(sheet, path, heads, lines)


def linear(sheet: ExportSheet, path: Path) -> dict[Path, str]:
    """The two files of the derivatives."""
    n, slopes, count, y = len(sheet.coordinates), sheet.size, len(sheet.inputs), len(sheet.outputs)
    size = n + slopes
    width = size + count
    head = f"void {sheet.name}_linear({_arguments(sheet)}, double *A, double *B, double *C, double *D)"
    lines = [
        f"{head} {{",
        *_read(sheet, sheet.linear()),
        f"  const double none = out[{(slopes + y) * width}] == 1.0 ? 0.0 : NAN;",
    ]
    lines += ["  (void)B; (void)C; (void)D;"] if not (count and y) else []
    lines += [
        f"  for (int i = 0; i < {n}; ++i)",
        f"    for (int j = 0; j < {size}; ++j) A[i * {size} + j] = none + (j == {n} + i ? 1.0 : 0.0);",
    ]
    if n and count:
        lines.append(f"  for (int i = 0; i < {n * count}; ++i) B[i] = none;")
    blocks = [("A", slopes, 0, 0, size, n), ("B", slopes, 0, size, count, n),
              ("C", y, slopes, 0, size, 0), ("D", y, slopes, size, count, 0)]  # fmt: skip
    for letter, rows, above, first, columns, shift in blocks:
        if rows and columns:
            lines += [
                f"  for (int i = 0; i < {rows}; ++i)",
                f"    for (int j = 0; j < {columns}; ++j)",
                f"      {letter}[({shift} + i) * {columns} + j] = none + out[({above} + i) * {width} + {first} + j];",
            ]
    return _files(sheet, path, {"linear": head}, [*lines, "}", ""])


def _groups(sheet: ExportSheet) -> dict[str, tuple[str, Sequence[str]]]:
    return {
        "q": ("COORDINATES", sheet.coordinates),
        **({"s": ("STATES", tuple(sheet.states))} if sheet.states else {}),
        "p": ("PARAMETERS", tuple(sheet.parameters)),
        "u": ("INPUTS", sheet.inputs),
        "lambda": ("CONSTRAINTS", sheet.constraints),
        "y": ("OUTPUTS", sheet.outputs),
    }


def _names(sheet: ExportSheet) -> dict[str, str]:
    return identifiers(dict.fromkeys(name for _, names in _groups(sheet).values() for name in names))


def _files(sheet: ExportSheet, path: Path, heads: Mapping[str, str], lines: Sequence[str]) -> dict[Path, str]:
    if not path.name.isprintable() or set('"\\') & set(path.name):
        raise ModelError(
            "{name!a} cannot be used in an #include of C; choose another name for the file", name=path.name
        )
    header = path.with_suffix(".h")
    source = [
        *_head(sheet, tr("See {header}. Needs a C99 compiler and libm (-lm).", header=comment(header.name))),
        f'#include "{header.name}"',
    ]
    source += ["", "#include <math.h>", "", f"void {sheet.name}_parameters(double *p) {{"]
    for i, (one, value) in enumerate(sheet.parameters.items()):
        source.append(f"  p[{i}] = {C.number(value)}; /* {comment(one)} */")
    source += ["  (void)p;", "}", "", *lines]
    return {path: "\n".join(source).rstrip("\n") + "\n", header: _header(sheet, heads)}


def _head(sheet: ExportSheet, about: str) -> Iterator[str]:
    yield f"/* {about}"
    yield " *"
    for line in (*sheet.origin, *sheet.notes, *renamed(_names(sheet))):
        yield f" * {comment(line)}"
    yield " */"


def _arguments(sheet: ExportSheet) -> str:
    return ", ".join(["double t", *(f"const double *{letter}" for letter in sheet.groups)])


def _head_of(sheet: ExportSheet, name: str) -> str:
    return f"void {sheet.name}_{name}({_arguments(sheet)}, double *{LETTERS[name]})"


def _header(sheet: ExportSheet, heads: Mapping[str, str]) -> str:
    name, guard, names = sheet.name, f"{sheet.name.upper()}_H", _names(sheet)
    lines = [*_head(sheet, tr("The dynamics of a mechanical system.")), f"#ifndef {guard}", f"#define {guard}"]
    lines += ["", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    groups = _groups(sheet)
    lines += [f"#define {name.upper()}_{word} {len(own)}" for word, own in groups.values()]
    for letter, (_, own) in groups.items():
        if own:
            order = tr("the order of q, v and a") if letter == "q" else tr("the order of {letter}", letter=letter)
            lines += ["", f"enum {{ /* {order} */"]
            entries = [f"  {name}_{letter}_{names[one]} = {i}" for i, one in enumerate(own)]
            lines += [",\n".join(entries), "};"]
    lines += ["", "/* " + tr("The model's own parameters.") + " */", f"void {name}_parameters(double *p);"]
    for about, head in heads.items():
        more = " " + tr(RATES) if sheet.states and about in ("slopes", "linear") else ""
        lines += ["", *wrapped(f"{tr(ABOUT[about])}{more} */", 100, "/* ", " * "), f"{head};"]
    lines += ["", "#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {guard} */"]
    return "\n".join(lines) + "\n"


def _slopes(sheet: ExportSheet) -> Iterator[str]:
    name, n, given = sheet.name, sheet.size, ", ".join(["t", *sheet.groups])
    for i, way in enumerate(sheet.ways):
        yield f"static int {name}_way{i}({_arguments(sheet)}, double *a) {{"
        yield from _read(sheet, way)
        yield f"  for (int i = 0; i < {n}; ++i) a[i] = out[i];"
        yield f"  return out[{n}] == 1.0;"
        yield from ("}", "")
    yield f"{_head_of(sheet, 'slopes')} {{"
    for i in range(len(sheet.ways)):
        yield f"  if ({name}_way{i}({given}, a)) return;"
    yield f"  for (int i = 0; i < {n}; ++i) a[i] = NAN;"
    yield "}"


def _read(sheet: ExportSheet, program: Program) -> Iterator[str]:
    """The statements of a program, from arguments to `out`."""
    reads = ("t" if letter == "t" else f"{letter}[{k}]" for letter, k in sheet.places)
    yield f"  const double in[] = {{{', '.join(reads)}}};"
    yield f"  double out[{len(program.outputs)}];"
    yield "  (void)in; (void)p; (void)u;"
    yield from (f"  {line}" for line in body(program))
