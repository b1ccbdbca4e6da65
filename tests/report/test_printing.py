"""Expressions in the three dialects, and the simplification of small ones."""

from __future__ import annotations

import random

import pytest
import symengine as se

from dalembert.expressions.parse import parse
from dalembert.language import speaking
from dalembert.mechanics import pairs
from dalembert.mechanics.algebra import merged_cases
from dalembert.mechanics.readable import readable
from dalembert.mechanics.terms import Terms
from dalembert.report.dialects import Language, Latex, Terminal, latex_name
from dalembert.report.latex import wrapped

x, y, R, t = se.symbols("x y R t")
theta, speed = se.symbols("theta theta'")
reaction = se.Symbol("lambda[front.touch]")

WRITTEN = [
    (x / y, "x/y", "x/y", r"\frac{x}{y}"),
    (-x / 2, "-x/2", "-x/2", r"-\frac{x}{2}"),
    (1 - x, "1 - x", "1 - x", "1 - x"),
    (se.sqrt(1 - x**2), "sqrt(1 - x^2)", "√(1 - x²)", r"\sqrt{1 - x^{2}}"),
    (x ** se.Rational(-3, 2), "1/x^(3/2)", "1/x^(3/2)", r"\frac{1}{x^{\frac{3}{2}}}"),
    (-(x + y) * speed, "-(x + y)*theta'", "-(x + y)·θ′", r"-\left(x + y\right) \, \dot{\theta}"),
    (
        R * se.sin(theta) ** 2 * speed**2 / 2,
        "R*sin(theta)^2*theta'^2/2",
        "R·sin(θ)²·θ′²/2",
        r"\frac{R \, \sin^{2} \theta \, \dot{\theta}^{2}}{2}",
    ),
    (
        (x + y) ** 2 / (3 * R * (x - 1)),
        "(x + y)^2/(3*R*(x - 1))",
        "(x + y)²/(3·R·(x - 1))",
        r"\frac{\left(x + y\right)^{2}}{3 \, R \, \left(x - 1\right)}",
    ),
    (reaction / R, "lambda[front.touch]/R", "λ[front.touch]/R", r"\frac{\lambda_{\mathrm{front.touch}}}{R}"),
    ((-x) ** y, "(-x)^y", "(-x)^y", r"\left(-x\right)^{y}"),
    (se.Symbol("pi1*") ** 2, "pi1*^2", "π1*²", r"{\pi_{1}^{*}}^{2}"),
    (se.exp(-x), "exp(-x)", "exp(-x)", r"\exp\left(-x\right)"),
    (se.Piecewise((x, x > 0), (-x, True)), "{x if 0 < x; -x if otherwise}", None, None),
]


@pytest.mark.parametrize(("expression", "language", "terminal", "latex"), WRITTEN)
def test_dialects(expression, language, terminal, latex) -> None:
    assert Language()(expression) == language
    if terminal is not None:
        assert Terminal()(expression) == terminal
    if latex is not None:
        assert Latex()(expression) == latex


@pytest.mark.parametrize(
    ("name", "letter", "index"),
    [
        ("theta", r"\theta", ""),
        ("thetaR", r"\theta", "_{R}"),
        ("theta12", r"\theta", "_{12}"),
        ("m0", "m", "_{0}"),
        ("x_left", "x", r"_{\mathrm{left}}"),
        ("phase", r"\mathrm{phase}", ""),
        ("blade_speed", r"\mathrm{blade\_speed}", ""),
    ],
)
def test_names_in_latex(name: str, letter: str, index: str) -> None:
    assert latex_name(name) == (letter, index)


def test_depth_is_no_limit() -> None:
    deep = x
    for _ in range(3000):
        deep = se.sin(deep) + 1
    assert Language()(deep).count("sin") == 3000


def test_what_is_written_parses_and_has_the_same_value() -> None:
    from dalembert.model.values import Evaluator

    values = {"x": 0.7, "y": -1.3, "R": 2.1}
    source = random.Random(3)
    for _ in range(200):
        expression = _random_expression(source, 4)
        text = Language()(expression)
        assert Evaluator(values).number(parse(text)) == pytest.approx(float(expression.subs(values)), rel=1e-9), text


def _random_expression(source: random.Random, depth: int):
    if depth == 0:
        return source.choice([x, y, R, se.Integer(source.randint(-3, 3)), se.Rational(source.randint(-5, 5), 7)])
    left, right = _random_expression(source, depth - 1), _random_expression(source, depth - 1)
    return source.choice(
        [left + right, left - right, left * right, left / (right**2 + 1), se.sin(left), left**2, -left * se.cos(right)]
    )


a, b = se.symbols("a b")
SHORTER = [
    (R**2 * se.sin(a) ** 2 + R**2 * se.cos(a) ** 2 + 1, 1 + R**2),
    (x * se.cos(a) * se.cos(b) + x * se.sin(a) * se.sin(b), x * se.cos(a - b)),
    (x * se.cos(a) * se.cos(b) - x * se.sin(a) * se.sin(b), x * se.cos(a + b)),
    (x * se.sin(a) * se.cos(b) - x * se.cos(a) * se.sin(b), x * se.sin(a - b)),
    (x * se.sin(a) * se.cos(b) + x * se.cos(a) * se.sin(b), x * se.sin(a + b)),
    (3 * x - 3 * x * se.sin(a) ** 2, 3 * x * se.cos(a) ** 2),
    (x * y * R + x * y * R**2, R * x * y * (1 + R)),
    (-3 * x / 4 - y / 2, -(3 * x / 4 + y / 2)),
    (2 * R * (1 + t) * x + 2 * R * (1 + t) * y, 2 * R * (1 + t) * (x + y)),
    ((R - R * se.cos(a) ** 2 + t * se.cos(a) ** 2) * x, (R * se.sin(a) ** 2 + t * se.cos(a) ** 2) * x),
    (x * se.sin(a) / se.cos(a) ** 3, x * se.tan(a) / se.cos(a) ** 2),
    (R * (x**2 - 1) / se.sqrt(1 - x**2), -R * se.sqrt(1 - x**2)),
    (x**2 / se.sqrt(x**2 + y**2) ** 3 - 1 / se.sqrt(x**2 + y**2), -(y**2) / se.sqrt(x**2 + y**2) ** 3),
    (se.Integer(0), se.Integer(0)),
]


@pytest.mark.parametrize(("long", "short"), SHORTER)
def test_shorter(long, short) -> None:
    values = {x: 0.7, y: -1.3, R: 2.1, a: 0.3, b: 1.9, t: 0.4}
    assert float(readable(long).subs(values)) == pytest.approx(float(long.subs(values)), rel=1e-12, abs=1e-12)
    assert len(str(readable(long))) <= len(str(short))


def test_shortening_keeps_the_value() -> None:
    source = random.Random(5)
    values = {x: 0.7, y: -1.3, R: 2.1, a: 0.3, b: 1.9}
    parts = [se.sin(a), se.cos(a), se.tan(a), 1 / se.cos(a), se.sin(b), se.cos(b), x, y, R, se.Integer(2)]
    parts += [se.sqrt(x**2 + y**2), 1 / se.sqrt(x**2 + y**2), x + R]
    for _ in range(200):
        terms = [se.Mul(*source.choices(parts, k=4)) for _ in range(6)]
        long = se.Add(*(term * source.choice([1, 1, -1]) for term in terms)) ** source.choice([1, 2])
        assert float(readable(long).subs(values)) == pytest.approx(float(long.subs(values)), rel=1e-9, abs=1e-9)


def test_what_would_explode_is_left_alone() -> None:
    long = (1 + x + y + R + t) ** 40
    assert readable(long) == long


def test_a_term_is_tried_again_only_for_a_new_partner(monkeypatch):
    """Four terms become one, in three steps. All terms were tried again after each of them."""
    tried, first = [], pairs._Pairs._in_family
    monkeypatch.setattr(pairs._Pairs, "_in_family", lambda self, one: tried.append(one) or first(self, one))
    c, count = se.Symbol("c"), 30
    turned = se.cos(a) * se.cos(b) * se.cos(c) + se.sin(a) * se.sin(b) * se.cos(c)
    turned += se.sin(a) * se.cos(b) * se.sin(c) - se.cos(a) * se.sin(b) * se.sin(c)
    names = se.symbols(f"p0:{count}")
    terms = Terms(se.Add(*(name * turned for name in names)), expand=True)
    assert len(terms.numbers) == 4 * count
    pairs.gather(terms, {})
    assert terms.factored() == se.cos(a - b - c) * se.Add(*names)
    assert len(tried) <= 8 * count


def test_powers_of_a_monomial():
    terms = Terms(x**3 / y**2 + 2 * x * R - y / x**7)
    assert sorted(map(terms.powers, terms.numbers)) == sorted(
        tuple({x: p, y: q, R: r}[factor] for factor in terms.factors) for p, q, r in ((3, -2, 0), (1, 0, 1), (-7, 1, 0))
    )


def test_a_sum_is_never_shorter_than_its_bound():
    source = random.Random(3)
    parts = [
        se.sin(a),
        se.cos(a),
        se.tan(a),
        1 / se.cos(a),
        se.cos(b),
        x,
        1 / y,
        R**2,
        x + R,
        se.sqrt(t),
        se.Integer(-3),
    ]
    for _ in range(300):
        terms = Terms(se.Add(*(se.Mul(*source.choices(parts, k=source.randint(1, 4))) for _ in range(5))), expand=True)
        assert terms.least_length() <= len(str(terms.factored()))


def test_terms_that_cancel_are_gone():
    """They would hide what the others share."""
    a, m, x, y = se.symbols("a m x y")
    assert readable(m * x + m * y + se.tan(a) * se.cos(a) - se.sin(a)) == m * (x + y)


@pytest.mark.parametrize(
    ("long", "opened"),
    [
        (r"\frac{2 \, \left(a - b\right) \, x}{y}", r"\frac{2 \, x}{y} \, \bigl(a - b\bigr)"),
        (r"\frac{\sin\left(a + b\right) \, x}{y}", r"\frac{x}{y} \, \sin\bigl(a + b\bigr)"),
        (r"\frac{\left(a + b\right)^{\frac{3}{2}} \, x}{y}", r"\frac{x}{y} \, \bigl(a + b\bigr)^{\frac{3}{2}}"),
        (r"\frac{a + b}{y} \, x", r"\frac{1}{y} \, \bigl(a + b\bigr) \, x"),
        (r"c \, \sqrt{a + b}", r"c \, \bigl(a + b\bigr)^{1/2}"),
    ],
)
def test_a_long_factor_of_latex_is_opened_with_its_function_and_its_exponent(long, opened):
    """A line may then end inside of it."""
    assert " ".join(wrapped(long, 3)).replace("  ", " ") == opened


def test_a_long_denominator_becomes_a_power():
    below = " + ".join(f"a_{{{i}}}" for i in range(30))
    assert wrapped(rf"\frac{{x}}{{\sqrt{{{below}}}}}", 20)[-1].endswith(r"\bigr)^{-1/2}")


STEP = se.Piecewise((1, x >= 0), (0, True))
POSITIVE = se.Piecewise((x, x >= 0), (0, True))  # max(x, 0)


def test_factors_of_0_and_1_that_another_implies_are_left_out():
    assert merged_cases(POSITIVE * STEP * y) == POSITIVE * y
    assert merged_cases(STEP**2 * y + 1) == STEP * y + 1
    assert merged_cases(STEP * se.Piecewise((y, x >= 1), (0, True))) != se.Piecewise((y, x >= 1), (0, True))


def test_cases_are_told_in_words():
    assert Terminal()(STEP * y) == "y·{1 if 0 ≤ x; 0 otherwise}"
    assert r"\text{otherwise}" in Latex()(STEP)
    with speaking("zh"):
        assert Terminal()(STEP) == "{0 ≤ x 时为 1; 否则为 0}"
        assert r"\text{其他}" in Latex()(STEP)


def test_small_decimals_are_powers_of_ten():
    assert Terminal()(se.Rational(1, 20000) * x) == "5·10⁻⁵·x"
    assert Terminal()(-se.Rational(1, 100000)) == "-10⁻⁵"
    assert Language()(se.Rational(1, 20000) * x) == "5e-05*x"


def test_roots_of_sums_are_not_expanded_inside():
    root = se.sqrt((x - y) ** 2 + (R - t) ** 2)
    assert root in readable((x * root + y * root) / 2).atoms(se.Pow)
    assert Terminal()(readable((2 * x * root + 2 * y) / (2 * R + 2 * root))) == Terminal()((x * root + y) / (R + root))
