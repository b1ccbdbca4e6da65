"""The sources of the numbers in expected.json: closed forms and separate derivations, without this package.

`python -m tests.gallery.derivations pendulum sleighs` writes the numbers of these functions into expected.json.
Without names it writes those of all functions (a minute or two). The numbers of other models stay as they are.
"""
