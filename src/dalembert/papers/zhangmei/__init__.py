"""Zhang and Mei's paper: one-sided constraints, segmented and whole-course; the ball between incline and wall.

π is the quasi-velocity (the print's π̇), and a2 stands for a².
"""

from __future__ import annotations

from dalembert.papers.sheet import Sheet
from dalembert.papers.worked import worked
from dalembert.papers.zhangmei.ball import ball
from dalembert.papers.zhangmei.ball_whole import ball_whole
from dalembert.papers.zhangmei.friction import friction
from dalembert.papers.zhangmei.impacts import impacts
from dalembert.papers.zhangmei.models import EULER, METHOD, PAPER
from dalembert.papers.zhangmei.problem import problem
from dalembert.papers.zhangmei.segmented import segmented
from dalembert.papers.zhangmei.whole import whole


def fill(sheet: Sheet) -> None:
    problem(sheet)
    segmented(sheet)
    whole(sheet)
    ball(sheet, worked(PAPER, METHOD), worked(EULER, METHOD))
    friction(sheet, worked(PAPER, METHOD))
    impacts(sheet)
    ball_whole(sheet)
