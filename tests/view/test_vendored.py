"""Libraries of pages are taken from bundles of another package: a form that is not expected is refused, not guessed."""

import pytest

from dalembert.view import vendored


def test_exports_become_one_global():
    text = vendored.as_global("const a=1;class OrbitControls{}export{a as THREE,OrbitControls,b as Other};\n", "here")
    assert text.startswith('(function(){"use strict";') and "export" not in text
    assert "globalThis.THREE={...a,OrbitControls:OrbitControls};" in text


def test_short_names_get_their_long_names():
    text = vendored.renamed("const x=1,y=2;export{x as a,y as b};\n", "a as EditorView,b as keymap", "chunk.js")
    assert text == "const x=1,y=2;export{x as EditorView,y as keymap};\n"


@pytest.mark.parametrize("bundle", ["const a=1;", "export{a as THREE};", "export{a as THREE};\nlater();"])
def test_another_form_is_refused(bundle):
    with pytest.raises(RuntimeError, match=r"three\.js"):
        vendored.as_global(bundle, "here")


def test_the_libraries_are_there_with_their_licenses():
    found = {path.name for path in vendored.vendor()}
    assert found == set(vendored.NAMES)
    assert "MIT" in (vendored.ROOM / vendored.LICENSE).read_text(encoding="utf-8")
