"""Questions about a model's motions that are answered without following them.

| room | question |
| --- | --- |
| `constraints` | Are the constraints integrable, redundant, contradictory? What can be reached? |
| `free` | From which states do the constraints need no force? |
| `conserved` | Which functions of the state keep their value? |
| `linear` | What happens near a steady motion, and along a family of them? |
| `sensitivity` | How does a motion change with parameters and initial values? |

They share `question` (the question and its time limit), `derivatives` (exact derivatives of the equations), `exact`
(series and ranks with fifty digits) and `algebra` (polynomials in a process of their own). The five rooms do not import
each other.
"""
