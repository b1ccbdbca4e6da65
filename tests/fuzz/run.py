"""`make fuzz N=… [SEED=…] [STRATA=a,b] [JOBS=…]` draws models and compares them with references and laws."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.cases import written
from fuzz.judge import BAD, HUNG, REFUSED, RIGHT, STRATA, UNJUDGED, Verdict, drawn, judge
from fuzz.shrink import shrunk

KINDS = (RIGHT, *BAD, UNJUDGED)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, help="models in all")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first model of every stratum")
    parser.add_argument("--strata", default="", help="names, by commas; all by default")
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"), help="folder for models that fail")
    parser.add_argument("--shrink", type=float, default=30.0, help="seconds to make a failing model smaller")
    parser.add_argument("--jobs", type=int, default=1, help="models judged at a time, each by processes of its own")
    parser.add_argument("--table", type=Path, help="file for the counts by stratum, as a Markdown table")
    asked = parser.parse_args()
    strata = asked.strata.split(",") if asked.strata else list(STRATA)
    print(f"seed {asked.seed}, {asked.count} models over {len(strata)} strata", flush=True)
    models = [(strata[k % len(strata)], asked.seed + k // len(strata)) for k in range(asked.count)]
    counts: dict[str, Counter[str]] = {stratum: Counter() for stratum in strata}
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # read by the judging processes: small matrices gain nothing from threads
    with ProcessPoolExecutor(asked.jobs, mp_context=get_context("spawn")) as pool:
        one = partial(_judged, folder=asked.out, seconds=asked.shrink)
        judged = zip(models, pool.map(one, models), strict=True)
        for number, ((stratum, seed), (kind, told)) in enumerate(judged, 1):
            counts[stratum][kind] += 1
            if number % 100 == 0:
                print(f"{number} judged", flush=True)
            if kind in BAD:
                print(f"{kind}: {stratum} {seed}: {told}", flush=True)
    total: Counter[str] = sum(counts.values(), Counter())
    table = _table([*counts.items(), ("all", total)])
    print(f"\n{table}")
    print(f"refused or without an answer: {100 * (total[REFUSED] + total[HUNG]) / max(1, asked.count):.2f} %")
    if asked.table:
        asked.table.write_text(table)
    return 1 if any(total[kind] for kind in BAD) else 0


def _judged(model: tuple[str, int], folder: Path, seconds: float) -> tuple[str, str]:
    """The kind of the verdict; of a failure also its sentence, and the file that the model was written to."""
    verdict = judge(drawn(*model))
    if verdict.kind not in BAD:
        return verdict.kind, ""
    return verdict.kind, f"{verdict.detail[:160]}\n    {_kept(verdict, folder, seconds)}"


def _table(rows: Iterable[tuple[str, Counter[str]]]) -> str:
    """A Markdown table that is readable as plain text."""
    head = f"| {'stratum':16} |" + "".join(f"{kind:>9} |" for kind in KINDS)
    rule = f"| {'-' * 16} |" + " -------: |" * len(KINDS)
    body = [f"| {stratum:16} |" + "".join(f"{found[kind]:9} |" for kind in KINDS) for stratum, found in rows]
    return "\n".join((head, rule, *body)) + "\n"


def _kept(verdict: Verdict, folder: Path, seconds: float) -> Path:
    """The file of a failing model, reduced first if there is time."""
    if seconds:
        verdict = shrunk(verdict, seconds)
    case = verdict.case
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case.stratum}-{case.seed}-{verdict.kind}.toml"
    told = verdict.detail.replace("\n", " ")
    simulation = {"simulation": {"duration": case.until}}
    path.write_text(f"# {case.stratum}, seed {case.seed}: {verdict.kind}. {told}\n" + written(case.model | simulation))
    return path


if __name__ == "__main__":
    sys.exit(main())
