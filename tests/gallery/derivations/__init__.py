"""Where the numbers in expected.json come from: closed forms and separate derivations, none of it by this package.

`python -m tests.gallery.derivations` writes expected.json anew (a minute).
"""
