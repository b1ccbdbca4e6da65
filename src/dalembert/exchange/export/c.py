"""C99: one file and its header, no allocation, no library but libm.

    void NAME_slopes(double t, const double *q, const double *v, const double *p, const double *u, double *a)
    void NAME_parameters(double *p)

The header has the counts as macros, and an enumerator for every index: NAME_q_theta, NAME_p_mass, NAME_u_throttle.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dalembert.errors import ModelError
from dalembert.exchange.export.names import comment, identifiers
from dalembert.exchange.export.sheet import Sheet
from dalembert.language import tr
from dalembert.programs.c99 import body, number

ENDING = ".c"
ARGUMENTS = "double t, const double *q, const double *v, const double *p, const double *u, double *a"


def written(sheet: Sheet, path: Path) -> dict[Path, str]:
    """The two files, by their paths."""
    if not path.name.isprintable() or set('"\\') & set(path.name):
        raise ModelError(
            tr("{name!a} cannot stand in an #include of C; choose another name for the file", name=path.name)
        )
    header = path.with_suffix(".h")
    return {path: _source(sheet, header.name), header: _header(sheet)}


def renamed(sheet: Sheet) -> tuple[str, ...]:
    """A sentence for every name that is another one in the enumerations."""
    names = identifiers((*sheet.coordinates, *sheet.parameters, *sheet.inputs))
    return tuple(f"{name} is called {other} in the enumerations." for name, other in names.items() if name != other)


def _head(sheet: Sheet, about: str) -> Iterator[str]:
    yield f"/* {about}"
    yield " *"
    for line in (*sheet.origin, *sheet.notes, *renamed(sheet)):
        yield f" * {comment(line)}"
    yield " */"


def _header(sheet: Sheet) -> str:
    name, guard = sheet.name, f"{sheet.name.upper()}_H"
    groups = {"q": sheet.coordinates, "p": tuple(sheet.parameters), "u": sheet.inputs}
    names = identifiers((*sheet.coordinates, *sheet.parameters, *sheet.inputs))
    lines = [
        *_head(sheet, "Accelerations of a mechanical system."),
        f"#ifndef {guard}",
        f"#define {guard}",
    ]
    lines += ["", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    for letter, word in (("q", "COORDINATES"), ("p", "PARAMETERS"), ("u", "INPUTS")):
        lines.append(f"#define {name.upper()}_{word} {len(groups[letter])}")
    for letter, about in (("q", "q, v and a"), ("p", "p"), ("u", "u")):
        if groups[letter]:
            lines += ["", f"enum {{ /* the order of {about} */"]
            lines += [f"  {name}_{letter}_{names[one]} = {i}," for i, one in enumerate(groups[letter][:-1])]
            lines += [f"  {name}_{letter}_{names[groups[letter][-1]]} = {len(groups[letter]) - 1}", "};"]
    lines += ["", "/* The model's own parameters. */", f"void {name}_parameters(double *p);", ""]
    lines += ["/* a = q'' at the time t, the coordinates q, the speeds v = q', the parameters p and the inputs u,",
              " * in SI units, where v meets the constraints. All of a is NAN where the masses or the constraints are",
              " * singular. a must not overlap the others. */",
              f"void {name}_slopes({ARGUMENTS});"]  # fmt: skip
    lines += ["", "#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {guard} */"]
    return "\n".join(lines) + "\n"


def _source(sheet: Sheet, header: str) -> str:
    name, n = sheet.name, len(sheet.coordinates)
    lines = [*_head(sheet, f"See {comment(header)}. Needs a C99 compiler and libm (-lm)."), f'#include "{header}"', ""]
    lines += ["#include <math.h>", "", f"void {name}_parameters(double *p) {{"]
    for i, (one, value) in enumerate(sheet.parameters.items()):
        lines.append(f"  p[{i}] = {number(value)}; /* {comment(one)} */")
    lines += ["  (void)p;", "}", ""]
    for i in range(len(sheet.ways)):
        lines += [*_way(sheet, i, n), ""]
    lines.append(f"void {name}_slopes({ARGUMENTS}) {{")
    for i in range(len(sheet.ways)):
        lines.append(f"  if ({name}_way{i}(t, q, v, p, u, a)) return;")
    lines += [f"  for (int i = 0; i < {n}; ++i) a[i] = NAN;", "}"]
    return "\n".join(lines) + "\n"


def _way(sheet: Sheet, i: int, n: int) -> Iterator[str]:
    """One program as a function that returns whether it holds at this state."""
    reads = ("t" if letter == "t" else f"{letter}[{k}]" for letter, k in sheet.places)
    yield f"static int {sheet.name}_way{i}({ARGUMENTS}) {{"
    yield f"  const double in[] = {{{', '.join(reads)}}};"
    yield f"  double out[{n + 1}];"
    yield "  (void)in; (void)p; (void)u;"
    yield from (f"  {line}" for line in body(sheet.ways[i]))
    yield f"  for (int i = 0; i < {n}; ++i) a[i] = out[i];"
    yield f"  return out[{n}] == 1.0;"
    yield "}"
