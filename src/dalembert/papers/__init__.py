"""The five papers, formula by formula: the printed form, the computed form, and whether they agree."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module

from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.papers.sheet import Sheet, SheetLine


@dataclass(frozen=True, slots=True)
class Paper:
    name: str
    authors: str
    title: str
    chinese: str
    examples: tuple[str, ...]  # models of the gallery


PAPERS = {
    paper.name: paper
    for paper in (
        Paper(
            "long",
            "Long Yunjia 龙运佳",
            "Partial acceleration equations in dynamics of nonholonomic systems",
            "非完整系统的动力学偏加速度方程",
            ("long-1", "long-2"),
        ),
        Paper(
            "sun",
            "Sun Youlie 孙右烈",
            "The general method for solving the dynamic problems",
            "求解动力学问题的普遍方法",
            ("sun-1", "sun-2", "sun-3"),
        ),
        Paper(
            "zhangmei",
            "Zhang Yi 张毅, Mei Fengxiang 梅凤翔",
            "Equations of motion for nonholonomic mechanical systems with unilateral constraints",
            "受单面约束的非完整力学系统的运动方程",
            ("zhang-mei-ball", "zhang-mei-ball-paper", "zhang-mei-ball-euler"),
        ),
        Paper(
            "qiao",
            "Qiao Yongfen 乔永芬",
            "Lagrange's equations for the mechanical systems having variable mass",
            "变质量力学系统的拉格朗日方程",
            ("qiao-sleigh",),
        ),
        Paper(
            "wanggao",
            "Wang Dingwen 王定文, Gao Puyun 高普云",
            "Nonholonomic mechanics and control",
            "非完整力学与控制",
            ("wang-gao-particle", "appell-hamel"),
        ),
    )
}


def paper(name: str) -> Paper:
    if name not in PAPERS:
        near = get_close_matches(name, PAPERS, 1)
        hint = tr("did you mean {near}?", near=near[0]) if near else tr("known are {papers}", papers=", ".join(PAPERS))
        raise ModelError("there is no paper {name!r}; {hint}", name=name, hint=hint)
    return PAPERS[name]


def lines_of(name: str) -> tuple[SheetLine, ...]:
    """Every numbered formula of a paper, computed now."""
    from dalembert import collection
    from dalembert.formalisms.places import letters_of
    from dalembert.model.read import read

    found = paper(name)
    sheet = Sheet(letters=letters_of(read(collection.path(found.examples[0]))))
    import_module(f"dalembert.papers.{name}").fill(sheet)
    for example in found.examples:
        run(sheet, example)
    return tuple(sheet.lines)


def run(sheet: Sheet, example: str) -> None:
    """One example of the gallery, integrated to its end."""
    from dalembert import collection
    from dalembert.api.motion import simulate
    from dalembert.model.read import read

    record = read(collection.path(example))
    motion = simulate(record, samples=11)
    told = tr(
        "the constraints in the motion to t = {times:g}, which {status}",
        times=float(motion.times[-1]),
        status=tr(motion.status),
    )
    sheet.law(
        tr("example {example}", example=example),
        record.title,
        record.reference,
        float(motion.diagnostics.constraint_residual),
        told,
    )
