"""Names of parameters, bodies and constraints in the letters of the reader."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ModelError
from small_models import SLEIGH

PLAIN = SLEIGH.replace('"质量" =', "m =").replace("质量", "m").replace("θ", "theta").replace("雪橇", "body")


@pytest.fixture
def models(loaded):
    return [loaded(SLEIGH, "雪橇"), loaded(PLAIN)]


def test_the_motion_is_that_of_plain_names(models):
    named, plain = (model.simulate() for model in models)
    assert np.array_equal(named["θ"], plain["theta"])
    assert np.array_equal(named.multipliers["刀刃"], plain.multipliers["刀刃"])


def test_files_exports_and_pages_carry_them(models, tmp_path):
    model, _ = models
    model.save(tmp_path / "again.toml")
    assert da.load(tmp_path / "again.toml").solve().accelerations == model.solve().accelerations
    motion = model.simulate()
    for ending in ("csv", "json", "html", "svg"):
        motion.save(tmp_path / f"motion.{ending}")
    assert "θ" in (tmp_path / "motion.csv").read_text(encoding="utf-8").splitlines()[0]
    for target, ending in (("c", "c"), ("numpy", "py"), ("sympy", "py")):
        model.export(target, tmp_path / f"{target}.{ending}")
    source = (tmp_path / "numpy.py").read_text(encoding="utf-8")
    space = {}
    exec(compile(source, "numpy.py", "exec"), space)  # noqa: S102 - what the export wrote
    state = model.solve()
    order = list(state.coordinates)
    q, v = ([values[name] for name in order] for values in (state.coordinates, state.speeds))
    assert np.allclose(space["slopes"](0.0, q, v), [state.accelerations[name] for name in order], atol=1e-12)
    assert r"\theta" in model.derive("kane").latex() and r"\text{质量}" in model.derive("kane").latex()


@pytest.mark.parametrize("name", ["质 量", "１", "ａ", "x²", "﹍", "а"])
def test_other_letters_are_refused_in_a_sentence(name, tmp_path):
    """Spaces, full-width forms, superscripts; and Cyrillic, whose а looks like a."""
    file = tmp_path / "model.toml"
    file.write_text(PLAIN.replace("a = 0.2", f'a = 0.2\n"{name}" = 1'), encoding="utf-8")
    with pytest.raises(ModelError, match="a name has letters, digits and _"):
        da.load(file)
