"""Where the numbers in expected.json come from: closed forms and separate derivations, none of it by this package.

`python -m tests.gallery.derivations pendulum sleighs` writes the numbers of these functions into expected.json.
Without names it writes those of all functions (a minute or two). The numbers of other models stay as they are.
"""
