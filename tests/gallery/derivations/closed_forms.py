"""Motions that are known exactly, evaluated in 40 digits."""

from __future__ import annotations

import mpmath as mp
from mpmath import atan, cos, cosh, exp, log, mpf, pi, sech, sin, sqrt, tan, tanh

mp.mp.dps = 40
G = mpf("9.81")
Entry = dict


def entry(source: str, times: list, solve: dict | None = None, energy: object = None, **simulate: dict) -> Entry:
    """One model: what is expected at the start, and the motion at `times` (every series has as many numbers)."""
    found: Entry = {"source": source}
    if energy is not None:
        found["energy"] = energy
    if solve:
        found["solve"] = solve
    if simulate:
        found["simulate"] = {"times": times, **simulate}
    return found


def pendulum() -> dict[str, Entry]:
    """sin(θ/2) = k sn(K + ωt), θ' = 2kω cn(K + ωt), with θ(0) = π/2: k² = 1/2."""
    k, w, times = sqrt(mpf(1) / 2), sqrt(G), [1, 10]
    args = [mp.ellipk(mpf(1) / 2) + w * t for t in times]
    theta = [2 * mp.asin(k * mp.ellipfun("sn", u, m=mpf(1) / 2)) for u in args]
    speed = [2 * k * w * mp.ellipfun("cn", u, m=mpf(1) / 2) for u in args]
    source = "Jacobi's elliptic functions (mpmath, 40 digits)"
    return {
        "simple-pendulum": entry(
            source,
            times,
            {"accelerations": {"theta": -G}},
            0,
            coordinates={"theta": theta},
            speeds={"theta": speed},
        ),
        "simple-pendulum-cartesian": entry(
            source + "; the tension is m(g cos θ + l θ'^2)",
            times,
            {"accelerations": {"x": 0, "y": -G}, "multipliers": {"rod": 0}},
            0,
            coordinates={"x": [sin(q) for q in theta], "y": [-cos(q) for q in theta]},
            speeds={
                "x": [v * cos(q) for q, v in zip(theta, speed, strict=True)],
                "y": [v * sin(q) for q, v in zip(theta, speed, strict=False)],
            },
            multipliers={"rod": [-(G * cos(q) + v * v) for q, v in zip(theta, speed, strict=True)]},
        ),
    }


def sleighs() -> dict[str, Entry]:
    m, J, a, w0, t = mpf("1.3"), mpf("0.7"), mpf("0.4"), mpf(2), mpf(3)
    I = J + m * a * a
    V, k = w0 * sqrt(I / m), a * w0 * sqrt(m / I)

    def theta(s: mpf) -> mpf:
        return w0 / k * 2 * atan(tanh(k * s / 2))

    u, w = V * tanh(k * t), w0 * sech(k * t)
    x = mp.quad(lambda s: V * tanh(k * s) * cos(theta(s)), [0, 1, 2, 3])
    y = mp.quad(lambda s: V * tanh(k * s) * sin(theta(s)), [0, 1, 2, 3])
    one = entry(
        "Caratheodory (1933): u = V tanh kt, θ' = ω sech kt; the path by quadrature in 40 digits",
        [t],
        {"accelerations": {"x": a * w0**2, "y": 0, "theta": 0}, "multipliers": {"blade": 0}},
        I * w0**2 / 2,
        coordinates={"x": [x], "y": [y], "theta": [theta(t)]},
        speeds={"theta": [w]},
        definitions={"forward": [u]},
        multipliers={"blade": [m * (u * w - a * m * a * u * w / I)]},
    )
    m, I, a, b, r, J, w0, t = (mpf(s) for s in ("3", "0.8", "0.25", "0.4", "0.1", "0.02", "3", "4"))
    mu, I = m + 2 * J / r**2, I + m * a * a + 2 * J * b * b / r**2
    V, k = w0 * sqrt(I / mu), m * a * w0 / sqrt(mu * I)
    angle, way = w0 / k * 2 * atan(tanh(k * t / 2)), V / k * log(cosh(k * t))
    cart = entry(
        "sleigh with mass m + 2J/r^2 and inertia I + m a^2 + 2 J b^2/r^2 (Neimark and Fufaev)",
        [t],
        None,
        I * w0**2 / 2,
        coordinates={"theta": [angle], "right": [(way + b * angle) / r], "left": [(way - b * angle) / r]},
        speeds={"theta": [w0 * sech(k * t)]},
        definitions={"forward": [V * tanh(k * t)]},
    )
    return {"chaplygin-sleigh": one, "two-wheeled-cart": cart}


def skates() -> dict[str, Entry]:
    s, w, t = G * sin(mpf("0.3")), mpf("1.7"), mpf(4)
    knife = entry(
        "cycloid: x = s sin²(wt)/(2w²), s = g sin α",
        [t],
        {"accelerations": {"x": s, "y": 0, "phi": 0}, "multipliers": {"edge": 0}},
        w**2 / 8,
        coordinates={
            "x": [s / (2 * w**2) * sin(w * t) ** 2],
            "y": [s / (2 * w**2) * (w * t - sin(2 * w * t) / 2)],
            "phi": [w * t],
        },
        speeds={"phi": [w]},
        multipliers={"edge": [-2 * s * sin(w * t)]},
    )
    m, R, I, J, Om, om, p0, t = (mpf(s) for s in ("2", "0.5", "0.3", "0.2", "3", "0.8", "0.4", "7"))
    p = p0 + om * t
    disk = entry(
        "circle of radius R θ'/φ'; forces m times the centripetal acceleration",
        [t],
        {
            "accelerations": {"x": -R * Om * om * sin(p0), "y": R * Om * om * cos(p0), "theta": 0, "phi": 0},
            "multipliers": {"rolls_x": -m * R * Om * om * sin(p0), "rolls_y": m * R * Om * om * cos(p0)},
        },
        (m * R**2 + I) * Om**2 / 2 + J * om**2 / 2,
        coordinates={
            "x": [R * Om / om * (sin(p) - sin(p0))],
            "y": [-R * Om / om * (cos(p) - cos(p0))],
            "theta": [Om * t],
            "phi": [p],
        },
    )
    th = 2 * atan(tan(mpf(1)) * exp(-mpf("1.2") * 3 / mpf("0.8")))
    trailer = entry(
        "tractrix: tan(θ/2) = tan(θ0/2) exp(-V t/L)",
        [3],
        {"speeds": {"theta": -mpf("1.2") * sin(mpf(2)) / mpf("0.8")}},
        coordinates={"theta": [th], "x": [mpf("3.6")], "y": [0]},
        speeds={"theta": [-mpf("1.2") * sin(th) / mpf("0.8")]},
    )
    c, y0, vy, t = mpf("1.2"), mpf("0.3"), mpf("0.7"), mpf(5)
    y = y0 + vy * t
    particle = entry(
        "Rosenberg: x' = c/sqrt(1 + y²), y = y0 + vy t",
        [t],
        None,
        (c * c + vy * vy) / 2,
        coordinates={
            "x": [c / vy * (mp.asinh(y) - mp.asinh(y0))],
            "y": [y],
            "z": [c / vy * (sqrt(1 + y * y) - sqrt(1 + y0 * y0))],
        },
    )
    return {"knife-edge": knife, "vertical-rolling-disk": disk, "trailer": trailer, "nonholonomic-particle": particle}


def balls() -> dict[str, Entry]:
    m, Om, t = mpf("0.8"), mpf("2.1"), mpf("2.5")
    k = 2 * Om / 7
    x0, y0, vx, vy = mpf("0.5"), mpf("-0.2"), mpf("0.3"), mpf("0.1")
    turntable = entry(
        "circle at 2Ω/7 (Earnshaw 1844); the table's force is m a",
        [t],
        {
            "accelerations": {"x": -k * vy, "y": k * vx},
            "multipliers": {"contact.slip1": -m * k * vy, "contact.slip2": m * k * vx},
        },
        coordinates={
            "x": [x0 + (vx * sin(k * t) - vy * (1 - cos(k * t))) / k],
            "y": [y0 + (vy * sin(k * t) + vx * (1 - cos(k * t))) / k],
        },
        speeds={"x": [vx * cos(k * t) - vy * sin(k * t)], "y": [vy * cos(k * t) + vx * sin(k * t)]},
        definitions={"spin": [mpf("0.7")]},
    )
    a, P, z1, wr, t = mpf("0.2"), mpf(6), mpf("0.5"), mpf(1), mpf("1.7")
    w = sqrt(mpf(2) / 7) * P
    rest = -(5 * G / 7 + 2 * a * P * wr / 7) / w**2
    cylinder = entry(
        "Routh: z'' = -(5/7)g - (2/7) a φ' ω_r - (2/7) φ'^2 z",
        [t],
        {"accelerations": {"z": w**2 * rest, "phi": 0}},
        coordinates={"z": [rest * (1 - cos(w * t)) + z1 / w * sin(w * t)], "phi": [P * t]},
        speeds={"z": [rest * w * sin(w * t) + z1 * cos(w * t)], "phi": [P]},
    )
    I11, I22, I13, w1, w2, t = (mpf(s) for s in ("1", "1.7", "0.4", "0.9", "0.3", "6"))
    W = sqrt(w2**2 + I11 / I22 * w1**2)
    k = I13 * W / I11
    s = k * t + mp.atanh(w2 / W)
    suslov = entry(
        "Suslov: ω2 = W tanh, ω1 = W sqrt(I22/I11) sech",
        [t],
        None,
        (I11 * w1**2 + I22 * w2**2) / 2,
        definitions={"w1": [W * sqrt(I22 / I11) * sech(s)], "w2": [W * tanh(s)]},
    )
    return {"ball-on-turntable": turntable, "ball-in-cylinder": cylinder, "suslov": suslov}


def variable_mass() -> dict[str, Entry]:
    m0, rate, c, t = mpf(1000), mpf(10), mpf(2500), mpf(70)
    m = m0 - rate * t
    rocket = entry(
        "Tsiolkovsky with gravity",
        [t],
        {"accelerations": {"h": rate * c / m0 - G}},
        coordinates={"h": [c * t - c * m / rate * log(m0 / m) - G * t**2 / 2]},
        speeds={"h": [c * log(m0 / m) - G * t]},
    )
    x, v = _fallen(7, mpf("0.3"), mpf("0.1"), mpf(5), mpf("21.789310361451"))
    raindrop = entry(
        "v² = (2g/7c)(r - r0^7/r^6), time by quadrature in 40 digits",
        [5],
        {"accelerations": {"x": G}},
        coordinates={"x": [x]},
        speeds={"x": [v]},
    )
    x, v = _fallen(3, mpf(1), mpf("0.01"), mpf(2), mpf("6.917559766188"))
    chain = entry(
        "Cayley: v² = (2g/3)(x - x0³/x²), time by quadrature in 40 digits",
        [2],
        {"accelerations": {"x": G}},
        coordinates={"x": [x + mpf("0.01")]},
        speeds={"x": [v]},
    )
    m0, q, k = mpf(2), mpf("0.15"), mpf(5)

    def basis(t: mpf) -> tuple[mpf, mpf]:
        z = sqrt(m0 - q * t)
        return z * mp.besselj(1, 2 * sqrt(k) * z / q), z * mp.bessely(1, 2 * sqrt(k) * z / q)

    d = [mp.diff(lambda t, i=i: basis(t)[i], 0) for i in range(2)]
    c1, c2 = mp.lu_solve(mp.matrix([basis(mpf(0)), d]), mp.matrix([1, 0]))
    leaking = entry(
        "x = sqrt(m)(c1 J1 + c2 Y1)(2 sqrt(k m)/q)",
        [10],
        {"accelerations": {"x": mpf("-2.5")}},
        coordinates={"x": [c1 * basis(mpf(10))[0] + c2 * basis(mpf(10))[1]]},
        speeds={"x": [mp.diff(lambda t: c1 * basis(t)[0] + c2 * basis(t)[1], 10)]},
    )
    m0, c, F, t = mpf("1.5"), mpf(2), mpf("0.7"), mpf(4)
    s = F * t / (m0 * c)
    relativistic = entry(
        "x = (m0 c²/F)(sqrt(1 + (F t/m0 c)²) - 1)",
        [t],
        {"accelerations": {"x": F / m0}},
        coordinates={"x": [m0 * c * c / F * (sqrt(1 + s * s) - 1)]},
        speeds={"x": [c * s / sqrt(1 + s * s)]},
    )
    return {
        "rocket": rocket,
        "raindrop": raindrop,
        "falling-chain": chain,
        "leaking-oscillator": leaking,
        "relativistic-particle": relativistic,
    }


def _fallen(p: int, c: mpf, r0: mpf, time: mpf, guess: mpf) -> tuple[mpf, mpf]:
    """Way and speed after `time` of m = r^(p//2), r = r0 + c x, from rest: v² = (2g/pc)(r - r0^p/r^(p-1)), x = s²."""

    def over(s: mpf) -> mpf:
        """v/s, which has no zero at the start."""
        r = r0 + c * s * s
        return sqrt(2 * G / p * sum((r0 / r) ** i for i in range(p)))

    x = guess
    for _ in range(4):
        end = sqrt(x)
        elapsed = mp.quad(lambda s: 2 / over(s), [end * i / 8 for i in range(9)])
        x -= (elapsed - time) * end * over(end)
    return x, sqrt(x) * over(sqrt(x))


def nonlinear() -> dict[str, Entry]:
    m, k, u0, psi, t = (mpf(s) for s in ("1.3", "0.8", "5", "0.6", "0.75"))
    du = -k * G / (1 + k * k)
    way, u = u0 * t + du * t * t / 2, u0 + du * t
    appell = entry(
        "uniform deceleration k g/(1 + k²) along a fixed direction",
        [t],
        {
            "accelerations": {"x": du * cos(psi), "y": du * sin(psi), "z": k * du},
            "multipliers": {"climb": m * G / (1 + k * k)},
        },
        m / 2 * (1 + k * k) * u0**2,
        coordinates={"x": [way * cos(psi)], "y": [way * sin(psi)], "z": [k * way]},
        speeds={"x": [u * cos(psi)], "y": [u * sin(psi)], "z": [k * u]},
        multipliers={"climb": [m * G / (1 + k * k)]},
    )
    c, p0, t = mpf(3), mpf("2.5"), mpf("1.1")
    p = 2 * atan(tan(p0 / 2) * exp(-G * t / c))
    speed = entry(
        "tan(ψ/2) = tan(ψ0/2) exp(-g t/c), x = (c²/g)(ψ0 - ψ)",
        [t],
        {"multipliers": {"speed": -G * cos(p0) / (2 * c)}},
        coordinates={"x": [c * c / G * (p0 - p)], "y": [-c * c / G * log(sin(p0) / sin(p))]},
        speeds={"x": [c * sin(p)], "y": [-c * cos(p)]},
        multipliers={"speed": [-G * cos(p) / (2 * c)]},
    )
    w, vx, vy, t = mpf("-1.3"), mpf("0.9"), mpf("0.4"), mpf(4)
    heisenberg = entry(
        "circle at the rate of the multiplier; z = |v|²(t - sin(ωt)/ω)/(2ω)",
        [t],
        None,
        (vx**2 + vy**2) / 2,
        coordinates={
            "x": [(vx * sin(w * t) - vy * (1 - cos(w * t))) / w],
            "y": [(vy * sin(w * t) + vx * (1 - cos(w * t))) / w],
            "z": [(vx**2 + vy**2) / (2 * w) * (t - sin(w * t) / w)],
        },
        multipliers={"area": [mpf("-1.3")]},
    )
    heisenberg["methods"] = ["vakonomic"]
    return {"appell-hamel": appell, "constant-speed": speed, "heisenberg": heisenberg}


def paper_particles() -> dict[str, Entry]:
    """Chetaev: m a = F + μ G with G = (−u, 1), u the horizontal direction, so μ = −F·G/2; the ball while it slips."""
    m, Q = mpf("1.2"), (mpf("0.5"), mpf("-0.3"), mpf(4))
    force = (Q[0], Q[1], Q[2] - m * G)
    normal = (mpf("-0.8"), mpf("-0.6"), mpf(1))
    mu = -sum(F * n for F, n in zip(force, normal, strict=True)) / 2
    a = [(F + mu * n) / m for F, n in zip(force, normal, strict=True)]
    particle = entry(
        "Newton's law with a force along the gradient of the constraint",
        [0],
        {"accelerations": dict(zip("xyz", a, strict=True)), "multipliers": {"climb": mu}},
    )
    a2, f, ca, cb = mpf("0.4"), mpf("0.15"), mpf("0.5"), mpf("0.3")
    held = a2 / (1 + a2) * cb
    slide = sqrt(f**2 * (1 - ca**2 - cb**2) - held**2)
    ball = entry(
        "(4.16)–(4.18) of the paper at the start, where the slip is negative",
        [0],
        {
            "accelerations": {"x": slide - ca, "y": -cb / (1 + a2)},
            "multipliers": {"incline": slide, "incline.held": held},
        },
    )
    return {"wang-gao-particle": particle, "zhang-mei-ball-euler": ball}


def slopes() -> dict[str, Entry]:
    """Long's two examples at the start: q2'' = 0, q1'' = q3'' = g R/(R² + ρ²) sin θ sin q2."""
    found = {}
    R, slope, q2, w1, w2 = mpf(1) / 2, pi / 6, mpf("0.4"), mpf("0.7"), mpf("1.5")
    for name, rho in (("long-1", mpf(0)), ("long-2", mpf("0.3"))):
        k = G * R / (R * R + rho * rho) * sin(slope)
        p = q2 + w2

        def rolled(t: mpf, k: mpf = k) -> mpf:
            return w1 + k / w2 * (cos(q2) - cos(q2 + w2 * t))

        q1 = w1 + k / w2 * (cos(q2) - (sin(p) - sin(q2)) / w2)
        x = mp.quad(lambda t: R * rolled(t) * sin(q2 + w2 * t), [0, 1])
        y = mp.quad(lambda t: -R * rolled(t) * cos(q2 + w2 * t), [0, 1])
        found[name] = entry(
            "Long's result integrated: q2 = q20 + ω t, q1' = q1'0 + (k/ω)(cos q20 - cos q2)",
            [1],
            {"accelerations": {"q1": k * sin(q2), "q2": 0, "q3": k * sin(q2)}},
            coordinates={"x": [x], "y": [y], "q1": [q1], "q2": [p], "q3": [q1 + 2 * w2]},
            speeds={"q1": [rolled(mpf(1))], "q2": [w2], "q3": [rolled(mpf(1)) + 2 * w2]},
        )
    return found
