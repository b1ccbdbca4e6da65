"""Published numbers: 30-digit integrations from this project's references."""

from __future__ import annotations

from mpmath import mpf, sqrt
from tests.gallery.derivations.closed_forms import G, entry

Entry = dict
SUN = "exact by hand for g = m = l = 1 (Sun's (2.7) and (2.8), corrected); motion: 34-digit integration in the angles"


def rods() -> dict[str, Entry]:
    """Sun's two rods: at rest in exact fractions of g, and the motion from rest at t = 0.5, 1, 2."""
    root = sqrt(mpf(3))
    angles = {"theta1": -mpf(18) / 55 * G, "theta2": -mpf(69) / 55 * G}
    centres = {
        "x1": mpf(9) / 110 * G,
        "y1": -9 * root / 110 * G,
        "x2": mpf(87) / 110 * G,
        "y2": -9 * root / 55 * G,
    }
    at_o = {"XO": -mpf(62) / 55 * G, "YO": -27 * root / 110 * G}
    at_a = {"XA": -mpf(23) / 110 * G, "YA": -9 * root / 55 * G}
    times = [0.5, 1, 2]
    motion = {
        "theta1": ["0.410412932654631936", "-0.834673527710561749", "0.0379020588179317349"],
        "theta2": ["-0.0401501077394573265", "-0.333226071723988892", "1.02186259915765367"],
    }
    speeds = {
        "theta1": ["-1.08781710760497766", "-1.00911782752013597", "1.55285157295930501"],
        "theta2": ["-4.12818695455556673", "-1.55675067577941125", "3.08505945258549251"],
    }
    forces_o = {
        "XO": ["-20.9437115549748721", "-9.63165013081710227", "-16.9987391865445719"],
        "YO": ["-9.53288858472339293", "8.39900797427808464", "0.707521483195027214"],
    }
    forces_a = {
        "XA": ["-13.3944478175778877", "-4.22960510052133637", "-5.85146314437241609"],
        "YA": ["-2.85431925681662557", "3.71832651193073494", "-2.74012487645987755"],
    }
    energy = -G * (3 * root / 4)

    def problem(accelerations: dict, multipliers: dict, forces: dict) -> Entry:
        solve = {"accelerations": accelerations, "multipliers": multipliers}
        return entry(SUN, times, solve, energy, coordinates=motion, speeds=speeds, multipliers=forces)

    second = {k: centres[k] for k in ("x2", "y2")}
    return {
        "sun-1": problem(angles | centres, at_o | at_a, forces_o | forces_a),
        "sun-2": problem(angles | second, at_a, forces_a),
        "sun-3": problem(angles | {"x": 0, "y": 0}, at_o, forces_o),
    }


def others() -> dict[str, Entry]:
    return {
        "qiao-sleigh": entry(
            "regular form in V and ω (Qiao's (4.4)–(4.5)), high-precision integration",
            [5],
            {
                "accelerations": {
                    "x": "0.04819313070623116",
                    "y": "0.5382836830786547",
                    "theta": "-0.6684573666120847",
                },
                "multipliers": {"blade": "0.67685559331306"},
            },
            coordinates={"x": ["5.491355034528203"], "y": ["2.9801886439580776"], "theta": ["0.3807086871031858"]},
            speeds={"theta": ["-0.07347780023882798"]},
            definitions={"forward": ["1.4851264395256392"]},
        ),
        "car-axis": entry(
            "34-digit extrapolation in minimal coordinates; the Test Set's values agree to 5e-12",
            [3],
            coordinates={
                "xl": ["0.04934557842752409213"],
                "yl": ["0.4969894602300081067629"],
                "xr": ["1.041742524885426115195"],
                "yr": ["0.3739110272653658193579"],
            },
            speeds={
                "xl": ["-0.077058368403592084284"],
                "yl": ["0.0074468665920684164914"],
                "xr": ["0.0175568157535417366"],
                "yr": ["0.770341043779601063"],
            },
        ),
        "euler-top": entry(
            "Jacobi's elliptic functions",
            [12],
            None,
            (mpf("0.02") ** 2 + 2 * mpf("1.5") ** 2 + mpf("3.5") * mpf("0.01") ** 2) / 2,
            definitions={"w1": ["-0.0559448652100563"], "w2": ["-1.4992415226975686"], "w3": ["0.024899141095805533"]},
        ),
        "chaplygin-ball": entry(
            "M' = M × ω, γ' = γ × ω in body axes, two separate formulations",
            [10],
            definitions={
                "w1": ["0.9087133069499613"],
                "w2": ["-0.22755925833541835"],
                "w3": ["-0.09453960739376455"],
                "up1": ["-0.007229811274926972"],
                "up2": ["-0.8690322105871073"],
                "up3": ["-0.49470268524742"],
            },
        ),
        "yoyo-despin": entry(
            "l' = R ω0 is constant; ω = ω0 (c - ψ²)/(c + ψ²), c = 1 + I/(m R²)",
            [2],
            coordinates={"psi": ["10.001"]},
            speeds={
                "psi": ["5"],
                "theta": [5 * (mpf(201) - mpf("10.001") ** 2) / (mpf(201) + mpf("10.001") ** 2)],
            },
        ),
    }
