# ruff: noqa: E501
r"""Errors in the print of the five papers: each place with the printed text, the right one, and the reason.

Every entry was derived again from first principles. Texts hold formulas between dollar signs.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.equations import Erratum


@dataclass(frozen=True, slots=True)
class Entry:
    paper: str
    numbers: tuple[str, ...]  # the equations at which the box is shown
    printed: str
    right: str
    because: str
    wrong: bool = False  # the statement is false; otherwise a misprint whose right form is clear
    name: str = ""  # the name of the place, if it is not just the numbers
    step: str = ""  # the title of its step, if several steps cite the numbers

    @property
    def erratum(self) -> Erratum:
        place = self.name or ", ".join(f"({number})" for number in self.numbers)
        return Erratum(f"{self.paper} {place}", self.printed, self.right, self.because)


# fmt: off
ERRATA = (
    Entry(
        "Long", ("10",), r"$E_s = D_s + \sum_r\dot C_{r,p+s}\dot q_r$", r"$E_s = \dot D_s + \sum_r\dot C_{r,p+s}\dot q_r$",
        "(5) is differentiated, and so is $D_s$", name="under (10)",
    ),
    Entry(
        "Long", ("12",), r"last term of $U_i$: $\partial r_i/\partial t$", r"$\partial v_i/\partial t$",
        "(3) has the derivative of the velocity there", name="under (12)",
    ),
    Entry(
        "Long", ("17",), r"the partial acceleration is the coefficient of $\dot q_r$", r"the coefficient of $\ddot q_r$",
        "(12) is linear in the accelerations", name="after (17)",
    ),
    Entry(
        "Long", ("18",), r"$a_P = -R\dot q_1\tau + R\dot q_1\dot q_2 n$",
        r"$a_P = -R\ddot q_1\tau + R\dot q_1\dot q_2 n$",
        "dots are lost: an acceleration along τ cannot be linear in the speeds",
    ),
    Entry(
        "Long", ("19", "21"), r"$a_{P'} = -R(\dot q_1+2\dot q_2)\tau + R(\dot q_1\dot q_2+2\dot q_2^2)n$",
        r"$a_{P'} = -R(\ddot q_1+2\ddot q_2)\tau + R(\dot q_1+2\dot q_2)\dot q_2 n$",
        "dots are lost: an acceleration along τ cannot be linear in the speeds",
    ),
    Entry(
        "Long", ("20",), r"$\dot q_3 = \dot q_1 + 2\dot q_2$, called nonholonomic",
        r"the same with $P' = P - 2Rn$; it integrates to $q_3 = q_1 + 2q_2 + c$",
        r"the constraints that cannot be integrated are $\dot x = R\dot q_1\sin q_2$ and $\dot y = -R\dot q_1\cos q_2$",
    ),
    Entry(
        "Long", ("35",), r"component along τ: $J_\tau\alpha_\tau + (J_b-J_n)\omega_b\omega_n$",
        r"$J_\tau\alpha_\tau + (J_n-J_b)\omega_b\omega_n$",
        r"$\omega\times J\omega$ has this sign, and (39) has it too; the loads on the wheels depend on it", True,
    ),
    Entry(
        "Long", ("42",), r"$\alpha_{D'\tau} = \dot q_3\dot q_1$", r"$\alpha_{D'\tau} = \dot q_3\dot q_2$", "(44) has it right",
    ),
    Entry(
        "Long", ("37", "47"), r"$T^*_D\cdot\alpha_{D'1}$; $(\dot q_1+\dot q_2)$",
        r"$T^*_{D'}\cdot\alpha_{D'1}$; $(\ddot q_1+\ddot q_2)$", "primes and dots are lost",
    ),
    Entry(
        "Sun", ("2.1",), r"$\frac{d}{dt}\{P\}^{\mathsf T}[B] = \{Q\}^{\mathsf T}[B] + [\{\sigma\}^{\mathsf T}\ 0]$",
        r"$(\dot P - \partial T/\partial q)^{\mathsf T}[B] = \{Q\}^{\mathsf T}[B] + [\{\sigma\}^{\mathsf T}\ 0]$, with P "
        "differentiated before the product",
        "the term with ∂T/∂q is missing; it vanishes in problems 1 and 2, and in problem 3 only at rest", True,
    ),
    Entry(
        "Sun", ("2.3",), "[C] has a block of zeros on top", r"$[C] = [I;\ -A_2^{-1}A_1]$",
        "the columns of [C] are speeds that the constraints leave free", name="before (2.3)",
    ),
    Entry(
        "Sun", ("2.6",), "entry (2,6) of [B] on the right side is 0", "it is 1", "it is 1 in (2.3)",
    ),
    Entry(
        "Sun", ("2.13",), "entry (4,2) of [B] on the right side is 0", "it is 1", "it is 1 in (2.10)",
    ),
    Entry(
        "Sun", ("2.7",), r"$\ddot y_1 = -\frac{9\sqrt3}{119}g$", r"$\ddot y_1 = -\frac{9\sqrt3}{110}g$",
        r"$\ddot y_1 = \frac l2\cos\theta_1\ddot\theta_1$ with $\ddot\theta_1 = -\frac{18}{55}\frac gl$",
    ),
    Entry(
        "Sun", ("2.14",), r"third line: $-m\ddot x_2\frac l2\sin\theta_1$", r"$-m\ddot x_2\,l\sin\theta_1$",
        "the third column of [B] in (2.10) has $-l\\sin\\theta_1$", step="Group II: the motion",
    ),
    Entry(
        "Sun", ("2.18",), r"$p_4 = m(\dot y + l\cos\theta_1\dot\theta_1+\frac l2\cos\theta_2\dot\theta_2)$",
        r"$p_4 = m(\dot y+\frac l2\cos\theta_1\dot\theta_1) + m(\dot y + l\cos\theta_1\dot\theta_1"
        r"+\frac l2\cos\theta_2\dot\theta_2)$",
        "the momentum of rod OA is missing", True, name="p4 under (2.18)",
    ),
    Entry(
        "Sun", ("2.19", "2.20"), r"$\frac{\sqrt3}2ml\ddot\theta_1 = \sigma_2$", r"$\frac{3\sqrt3}4ml\ddot\theta_1 = \sigma_2$",
        "the momentum of rod OA is missing in $p_4$", True,
    ),
    Entry(
        "Sun", ("2.18",), r"$\dot p_1$, first bracket: $-\frac14m(\ddot x-\frac l4\ddot\theta_1)$", r"$-\frac14ml(\ddot x-\frac l4\ddot\theta_1)$",
        r"the bracket is multiplied by $\frac l2\sin\theta_1$, a length", name="after (2.18)",
    ),
    Entry(
        "ZhangMei", ("2.1",), "quantities of the second kind are continuous in every impact",
        r"$\dot q^+ = \dot q^- + M^{-1}C^{\mathsf T}\Lambda$, where a contact that slips carries no impulse",
        r"with $C_\beta\ne 0$ the impact is not elastic: $\Delta T = \varphi^{\mathsf T}\mu$, and the impulse μ breaks Coulomb's law",
        True,
    ),
    Entry(
        "ZhangMei", ("2.8", "3.2", "3.3"), r"the bracket encloses $\frac{\partial\pi_s}{\partial q_r}\frac{\partial\dot q_r}"
        r"{\partial\pi}$", r"$\left(\frac{d}{dt}\frac{\partial\pi_s}{\partial\dot q_r}-\frac{\partial\pi_s}{\partial q_r}\right)"
        r"\frac{\partial\dot q_r}{\partial\pi}$", "(2.6) has the bracket around the whole difference",
    ),
    Entry(
        "ZhangMei", ("2.10",), r"$\pi_\sigma = \partial T/\partial\dot q_\sigma$ are continuous in the impact",
        r"for $\varphi_\beta$ that are linear in the speeds",
        r"an impact changes the direction in which a nonlinear $\varphi_\beta$ reacts, even where C = 0", True,
    ),
    Entry(
        "ZhangMei", ("4.2",), r"$\dot\varphi$ in $\omega_x,\omega_y$", r"$\dot q_5$; the trigonometric argument is $q_4$",
        "the angles are named anew",
    ),
    Entry(
        "ZhangMei", ("4.5",), r"$f_1 = \dot q_2-\omega_z = 0$", r"also $f_2 = \omega_y$",
        "an absolutely rough wall stops the contact point across the wall too", True,
    ),
    Entry(
        "ZhangMei", ("4.14", "4.15"), r"$C_2\equiv 0$, $C_1\ne 0$ and $\sqrt{R_x^2+R_y^2} = f\cos\gamma$",
        r"$R = -f\cos\gamma\,c/|c|$", r"isotropic friction opposes the slip; both hold together only for $\cos\beta = 0$", True,
    ),
    Entry(
        "ZhangMei", ("4.24",), r"$\cos\alpha > S$ and $\pi_4 < 0$ give a periodic motion",
        r"also $S\le a^2\cos\alpha/(1+a^2)$", "otherwise the slip stops", True, name="after (4.24)",
    ),
    Entry("ZhangMei", ("4.29",), r"fourth line: $R_x/a$", r"$R_x/a^2$", "the square is lost; (4.13) has it"),
    Entry(
        "ZhangMei", ("4.31",), r"$\pi_3^* = -\frac{t\cos\beta}{1+a^2}\mathrm{sgn}\,q_1^*+A_2$; slips in $q_1^*$ and $\pi_4^*$",
        r"$\pi_3^* = A_2-\frac{\cos\beta}{1+a^2}\,\mathrm{tri}(t)$, tri the 2τ-periodic triangle |t|; "
        r"$q_1^* = -\frac12(\cos\alpha-S)\,t(|t|-\tau)$; $\pi_4^* = A_3-[\cos\alpha-\frac{1+a^2}{a^2}S]\,t$",
        "the printed $\\pi_3^*$ jumps at $|t| = \\tau$, and its rate is bounded", True,
    ),
    Entry(
        "Qiao", ("2.4", "2.5"), r"$\dot q_r = \sum_s k_{rs}W_s + l_r$ solves (2.2) and (2.4)",
        r"$k = \partial\dot q/\partial W$, the first P columns of $[a;\ \partial f/\partial\dot q]^{-1}$ at the actual speeds",
        "(2.4) is an identity; with the linear part at rest Chetaev's rule is violated", True,
    ),
    Entry(
        "Qiao", ("2.6", "2.9", "3.4"), r"$\partial V_i/\partial t$", r"$\partial r_i/\partial t$",
        "the velocity is the derivative of the position",
    ),
    Entry(
        "Qiao", ("2.10", "2.11", "2.12", "2.14", "2.15", "2.17", "2.22", "3.5", "3.6", "3.7"), "sums over the wrong index",
        r"$\sum_r\{\sum_i\dots\}k_{rs}$, $\sum_{i\le P}$, $\sum_{r=P+1}^n$", "k has the index r of the coordinates",
        name="(2.10)–(2.15), (2.17), (2.22), (3.5)–(3.7)",
    ),
    Entry(
        "Qiao", ("2.27",), r"$K_s + K_s^*$", r"$K_s + K_s^R$", "the thrust is meant",
    ),
    Entry(
        "Qiao", ("3.9",), "a minus sign before the braces", r"$+\{\dots\}k_{rs}$",
        "(3.7) has these terms with the other sign inside",
    ),
    Entry(
        "Qiao", ("3.10",), "(3.10) is more general than (2.15)", "they are equivalent",
        "(3.8) turns the left side of one into that of the other for any quasi-velocities", True, name="after (3.10)",
        step="Equations of motion",
    ),
    Entry(
        "Qiao", ("4.3",), r"$\frac{D}{Dt}\frac{\partial T}{\partial\dot\theta}$: $a^2\sin\theta\,\mathrm{tg}\,\theta$, "
        r"$-\ddot xb\cos\theta$, $-b^2\dot\theta^2\cos\theta\sin\theta$",
        r"$-\dot x\dot\theta a\sin\theta\,\mathrm{tg}\,\theta$, $-\ddot xb\sin\theta$, $+b^2\dot\theta^2\sin\theta\cos\theta$",
        "misprints that do not reach (4.4) and (4.5)", name="before (4.5)",
    ),
    Entry(
        "WangGao", ("17",), "(17) decides whether a free motion exists",
        r"all $\Phi_k$ must vanish: $\Phi_0 = f$, $\Phi_{k+1} = \Phi_{k,q}\dot q+\Phi_{k,\dot q}a_f+\Phi_{k,t}$",
        "(17) is only the first condition; its derivatives along the free motion must vanish too", True,
    ),
    Entry(
        "WangGao", ("21",), "with s = r the equations are complete", r"they are where $\det(GM^{-1}H^{\mathsf T})\ne 0$",
        r"the particle of Appell and Hamel with $h = (-\dot y,\dot x,0)$ has s = r, and $GM^{-1}H^{\mathsf T} = 0$", True,
        name="after (21)",
    ),
)
# fmt: on
