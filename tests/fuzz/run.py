"""`make fuzz N=… [SEED=…] [STRATA=a,b]`: random models held to references and laws; failures become files in out/fuzz."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.cases import written
from fuzz.judge import BAD, HUNG, REFUSED, RIGHT, STRATA, UNJUDGED, Verdict, drawn, judge
from fuzz.shrink import shrunk


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, help="models in all")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first model of every stratum")
    parser.add_argument("--strata", default="", help="names, by commas; all by default")
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"), help="folder for models that fail")
    parser.add_argument("--shrink", type=float, default=30.0, help="seconds to make a failing model smaller")
    asked = parser.parse_args()
    strata = asked.strata.split(",") if asked.strata else list(STRATA)
    print(f"seed {asked.seed}, {asked.count} models over {len(strata)} strata", flush=True)
    counts: dict[str, Counter[str]] = {stratum: Counter() for stratum in strata}
    bad = 0
    for k in range(asked.count):
        stratum, seed = strata[k % len(strata)], asked.seed + k // len(strata)
        verdict = judge(drawn(stratum, seed))
        counts[stratum][verdict.kind] += 1
        if verdict.kind in BAD:
            bad += 1
            kept = _kept(verdict, asked.out, asked.shrink if counts[stratum][verdict.kind] == 1 else 0.0)
            print(f"{verdict.kind}: {stratum} {seed}: {verdict.detail[:160]}\n    {kept}", flush=True)
    kinds = (RIGHT, *BAD, UNJUDGED)
    print(f"\n{'stratum':18}" + "".join(f"{kind:>10}" for kind in kinds))
    for stratum, found in counts.items():
        print(f"{stratum:18}" + "".join(f"{found[kind]:10}" for kind in kinds))
    total: Counter[str] = sum(counts.values(), Counter())
    print(f"{'all':18}" + "".join(f"{total[kind]:10}" for kind in kinds))
    print(f"refused or without an answer: {100 * (total[REFUSED] + total[HUNG]) / max(1, asked.count):.2f} %")
    return 1 if bad else 0


def _kept(verdict: Verdict, folder: Path, seconds: float) -> Path:
    """The file of a failing model, made smaller first where there is time."""
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
