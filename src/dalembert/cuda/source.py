"""The whole source of a model's motions, for NVRTC and for any C++ compiler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.compile.system import CompiledSystem
from dalembert.cuda.fast import LARGE, Fast, fast_functions, projection_text
from dalembert.cuda.reduced import Reduced, reduced_functions
from dalembert.cuda.simplify import price
from dalembert.cuda.solve import pivots_of
from dalembert.cuda.writer import header, number
from dalembert.simulate import advance, dop853, linear
from dalembert.simulate.tableau import E3, E5, A, B, C, D

ARRAYS = ("Vector[SIZE]", "Half[HALF]", "Reduced[STEPPED]", "Parameters[PARAMETERS + 1]")
STAGED = 1500  # operations of slopes of which eleven copies, one a stage, are faster than calls
ROUNDING = 1e-14  # of a sum of products, against its terms
LEFT = -1  # a motion that the written-out solve does not follow to its end


@dataclass(frozen=True)
class Source:
    """`text` is C++; its entry `motions` takes one motion per thread."""

    text: str
    size: int  # of y = (q, v, z)
    parameters: int
    operations: Mapping[str, int] = field(default_factory=dict)  # of one evaluation of the slopes
    stepped: int = 0  # components that the stepper moves
    idle: int = 0  # of them, on which no slope depends


def fast_source(
    system: CompiledSystem, x: np.ndarray, stepper: str = "dop853", rescued: bool = False, sampled: bool = False
) -> Source:
    """Smooth motions written out, with the pivots of the state x; `stepper` is dop853 or rk4.

    States at times of one's choice are worked out where the source is `sampled`, by dop853 alone.

    Where those pivots do not do, a motion is LEFT there, or goes on by the default engine's solve if it is `rescued`.
    Steps go by independent speeds where there are such and they are cheaper (`reduced.py`).
    """
    fast = fast_functions(system, x, rescued)
    reduced = reduced_functions(system, x) if not rescued and not sampled else None
    if reduced is not None and _is_cheaper(reduced, fast, stepper, system):
        large, operations, stepped = sum(reduced.operations.values()) > LARGE, reduced.operations, reduced.stepped
        apart, idle = stepper != "rk4" and sum(reduced.operations.values()) > STAGED, reduced.idle
        body = [projection_text(system, x), header("project.h"), reduced.functions, header("settled.h")]
        if stepper == "rk4":
            body.append(header("reduced.h"))
        else:
            body += [header("stepping.h"), with_sums(header("reduced_dop853.h"), STAGE_OF_ALL)]
    else:
        large, operations, stepped = fast.large, fast.operations, 2 * system.n
        apart, idle = large, ()
        stepping = header("rk4.h") if stepper == "rk4" else dop853_text(large, rescued, sampled)
        body = [projection_text(system, x), fast.functions, header("smooth.h"), header("project.h"), stepping]
    size, parameters = 2 * system.n, len(system.parameters)
    rank = pivots_of(system.unpacked(system.dynamics(x))[2]).rank
    constants = {
        "SIZE": size, "HALF": system.n, "PARAMETERS": parameters, "RANK_OF_A": rank, "DONE": linear.DONE,
        "FINISHED": advance.FINISHED,
        "PROJECTION_FAILED": dop853.PROJECTION_FAILED if rescued else LEFT, "LEFT": LEFT, "RESCUED": int(rescued),
        "UNDERFLOW_": dop853.UNDERFLOW, "BLOW_UP": dop853.BLOW_UP,
        "IS_STIFF": dop853.IS_STIFF, "TOO_LARGE": dop853.TOO_LARGE, "LEAP": dop853.LEAP,
        "FLOOR": dop853.FLOOR, "SAFETY": dop853.SAFETY,
        "EPSILON_OF_ONE": float(np.finfo(float).eps), "SETTLED": 0, "AGAIN": 1, "LOST": 2,
        "EVALUATION": "APART" if apart else "FUNCTION", "PROJECTION": "APART" if large else "FUNCTION",
        "IDLE(i)": f"({' || '.join(f'(i) == {i}' for i in idle) or 'false'})", "STEPPED": stepped,
        "SAMPLED": int(sampled), "LARGE": int(large),
    }  # fmt: skip
    head = [f"#define {name} {value}" for name, value in constants.items()]
    head += ["struct Ranks { int a, r, phi, psi, row; };"]
    head += [f"typedef double {name};" for name in ARRAYS]
    text = "\n".join([header("base.h"), *head, header("motion.h"), *body])
    return Source(text, size, parameters, dict(operations), stepped, len(idle))


def _is_cheaper(reduced: Reduced, fast: Fast, stepper: str, system: CompiledSystem) -> bool:
    """Whether a step by independent speeds costs less.

    DOP853 keeps the slopes of all components then, not of speeds alone.
    """
    return price(reduced.operations) <= price(fast.operations) and (stepper == "rk4" or reduced.stepped < 2 * system.n)


def dop853_text(large: bool, rescued: bool, sampled: bool) -> str:
    """The stepper with its coefficients: as numbers in sums where it is small, as tables where stages are a loop."""
    text = with_sums(header("dop853.h"), STAGE_LOOP if large else STAGE if rescued else STAGE_AT_ONCE)
    dense = [dense_text()] if sampled else []
    return "\n".join([*(tables_text() if large else []), header("stepping.h"), *dense, text])


def dense_text() -> str:
    """Dense output, its sums written out."""
    dense = [f"dense[{3 + r}][i] = step * ({_position_sum(D[r])});" for r in range(4)]
    dense += [f"dense[{3 + r}][j] = step * ({_sum(D[r])});" for r in range(4)]
    return header("dense.h").replace("DENSE_OF_STEP", "\n".join(dense))


def with_sums(text: str, stage: str, mode: str = "") -> str:
    """A loop over steps with the sums of its stages and its errors written out."""
    text = text.replace("UNDERFLOW", "UNDERFLOW_")
    for word, first, last in (("STAGES_OF_STEP", 1, 12), ("STAGES_OF_DENSE", 13, 16)):
        text = text.replace(word, _stages(first, last, stage).replace("evaluate(", f"{mode}evaluate("))
    rows = (("change", B), ("five", E5), ("three", E3))
    positions = [f"double {name} = {_position_sum(row)};" for name, row in rows]
    speeds = [f"double {name} = {_sum(row)};" for name, row in rows]
    text = text.replace("ERROR_OF_POSITION", "\n".join(positions)).replace("ERROR_OF_SPEED", "\n".join(speeds))
    return text.replace("FIRST_SUMS", _sums(0, "="))


def tables_text() -> list[str]:
    """The coefficients where stages are a loop."""
    old, last, positions_by_k = zip(*(_position_weights(row) for row in A), strict=True)
    tables = {
        "stage_weights[16][16]": A, "position_weights[16][16]": positions_by_k, "stage_nodes[16]": C,
        "old_speed[16]": old, "fresh_speed[16]": last,
    }  # fmt: skip
    return [f"TABLE double {name} = {{{entries(values)}}};" for name, values in tables.items()]


def entries(values: Any) -> str:
    return ", ".join(number(float(a)) for a in np.ravel(values))


def _position_weights(weights: np.ndarray) -> tuple[float, float, np.ndarray]:
    """Σ w_s q̇_s, where q̇_s = v + h Σ A_sj k_j and q̇₁₂ is the speed at the end: the weights of v, of that, of h k_j."""
    full = np.zeros(16)
    full[: len(weights)] = weights
    last, full[12] = full[12], 0.0
    total, row = full.sum(), full @ A
    row[np.abs(row) < ROUNDING * np.abs(full) @ np.abs(A)] = 0.0  # the order conditions make them vanish
    nearest = round(total)
    return (float(nearest) if abs(total - nearest) < 1e-12 else total), last, row


def _position_sum(weights: np.ndarray) -> str:
    old, last, row = _position_weights(weights)
    terms = [f"{number(w)}*{place}[HALF + i]" for w, place in ((old, "y"), (last, "fresh")) if w != 0.0]
    return " + ".join([*terms, f"step*({_sum(row)})"] if row.any() else terms)


def _sum(weights: np.ndarray) -> str:
    return " + ".join(f"{number(float(w))}*k[{j}][i]" for j, w in enumerate(weights) if w != 0.0)


def _sums(s: int, sign: str) -> str:
    """Into the sums of a component that nothing depends on: of its change and of both errors."""
    source = "k[0]" if s == 0 else "slope"
    weights = [float(row[s]) if s < len(row) else 0.0 for row in (B, E5, E3)]
    return " ".join(
        f"sums[{r}][i] {sign} {number(w)}*{source}[i];" for r, w in enumerate(weights) if w != 0.0 or s == 0
    )


def _stages(first: int, last: int, stage: str) -> str:
    if stage is STAGE_LOOP:
        return stage.replace("FIRST", str(first)).replace("LAST", str(last))
    return "\n".join(
        stage.replace("POSITION", _position_sum(A[s])).replace("SPEED", _sum(A[s])).replace("SUMS", _sums(s, "+="))
        .replace("NODE", number(float(C[s]))).replace("PLACE", str(s))
        for s in range(first, last)
    )  # fmt: skip


STAGE = """if (found == DONE) {
  UNROLLED
  for (int i = 0; i < HALF; i++) {
    stage[i] = y[i] + step * (POSITION);
    stage[HALF + i] = y[HALF + i] + step * (SPEED);
  }
  evaluations++;
  found = evaluate(t + NODE*step, stage, p, true, slope, ranks);
  keep_half(slope, k[PLACE]);
}"""
STAGE_AT_ONCE = """UNROLLED
for (int i = 0; i < HALF; i++) {
  stage[i] = y[i] + step * (POSITION);
  stage[HALF + i] = y[HALF + i] + step * (SPEED);
}
evaluations++;
if (evaluate(t + NODE*step, stage, p, true, slope, ranks) != DONE) found = LEFT;
keep_half(slope, k[PLACE]);"""  # where nothing is rescued: one failure tells all, and jumps would cost registers
STAGE_OF_ALL = """UNROLLED
for (int i = 0; i < STEPPED; i++) stage[i] = IDLE(i) ? y[i] : y[i] + step * (SPEED);
good &= reduced_slopes(t + NODE*step, stage, p, slope);
UNROLLED
for (int i = 0; i < STEPPED; i++) {
  if (IDLE(i)) {
    SUMS
  } else {
    k[PLACE][i] = slope[i];
  }
}"""
STAGE_LOOP = """ROLLED
for (int s = FIRST; s < LAST && found == DONE; s++) {
  for (int i = 0; i < HALF; i++) {
    double moved = 0.0, entry = 0.0;
    ROLLED
    for (int j = 0; j < s; j++) {
      moved += position_weights[s][j] * k[j][i];
      entry += stage_weights[s][j] * k[j][i];
    }
    const double ends = fresh_speed[s] != 0.0 ? fresh_speed[s] * fresh[HALF + i] : 0.0;
    stage[i] = y[i] + step * (old_speed[s] * y[HALF + i] + ends + step * moved);
    stage[HALF + i] = y[HALF + i] + step * entry;
  }
  evaluations++;
  found = evaluate(t + stage_nodes[s] * step, stage, p, true, slope, ranks);
  keep_half(slope, k[s]);
}"""
