"""The whole-course description of motions with impacts."""

from dalembert.motions.whole_course.march import run_whole_course

__all__ = ["run_whole_course"]
