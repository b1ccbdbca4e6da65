// Two gyrostats that roll, joined at the steering axis (Whipple 1899; Kane's equations). Frame S: the rear frame turned
// by the tilt, its z along the steering axis, at the angle α = χ + tilt to the lean; frame E: S turned by δ, the fork. The
// wheels' masses and transverse inertias belong to frames. With ω of the rear frame (w1, w2, w3) in S and of the fork
// (p, q, r) in E, s and c of α, and ρ from the front hub to its contact, the hubs move at
//     rear   (c σ, R (c w1 + s w3), s σ) in S,   σ = −R (θR′ + ψ′ sin φ)
//     front  (−Q ρ3, p ρ3 − r ρ1, Q ρ1) in E,    Q = q + θF′
// That both give the joint one velocity leaves w2, w3, Q to follow from u = (w1, σ, r), by two equations and one; the same
// two, with other right sides, are met by accelerations. χ is integrated with the others; it stays where the front
// wheel touches the road to the error of the steps.
#define N 11   // x, y, ψ, φ, χ, δ, θR, θF, w1, σ, r
#define ALL 16
#define TILT 0.31415926535897931
namespace bicycle {
constexpr double g = 9.81, R = 0.3, F = 0.35, ct = 0.95105651629515357, st = 0.30901699437494742;
constexpr double along(double x, double z) { return ct*x - st*z; }  // of (x, 0, z) in a frame that is turned by the tilt
constexpr double down(double x, double z) { return st*x + ct*z; }
constexpr double i11(double xx, double zz, double xz) { return ct*ct*xx - 2.0*ct*st*xz + st*st*zz; }
constexpr double i33(double xx, double zz, double xz) { return st*st*xx + 2.0*ct*st*xz + ct*ct*zz; }
constexpr double i13(double xx, double zz, double xz) { return ct*st*(xx - zz) + (ct*ct - st*st)*xz; }
// joint at (d, 0, 0) from the rear hub, front hub at (e, 0, f) from the joint
constexpr double d = along(1.1, 0.3), e = along(-0.08, -0.35), f = down(1.1, 0.3) + down(-0.08, -0.35);
// rear: 85 kg at (0.3, −0.6) from the hub, 2 kg at it; mass, first moments, inertia about the hub, spin
constexpr double mr = 87.0, mr1 = 85.0*along(0.3, -0.6), mr3 = 85.0*down(0.3, -0.6), spinr = 0.12;
constexpr double rxx = 9.2 + 0.0603 + 85.0*0.36, rzz = 2.8 + 0.0603 + 85.0*0.09, rxz = 2.4 + 85.0*0.18;
constexpr double r11 = i11(rxx, rzz, rxz), r33 = i33(rxx, rzz, rxz), r13 = i13(rxx, rzz, rxz), r22 = 11.0 + 85.0*0.45;
// front: 4 kg at (−0.12, −0.35) from the hub, 3 kg at it
constexpr double mf = 7.0, mf1 = 4.0*along(-0.12, -0.35), mf3 = 4.0*down(-0.12, -0.35), spinf = 0.28;
constexpr double fxx = 0.05892 + 0.1405 + 4.0*0.1225, fzz = 0.00708 + 0.1405 + 4.0*0.0144, fxz = -0.00756 - 4.0*0.042;
constexpr double f11 = i11(fxx, fzz, fxz), f33 = i33(fxx, fzz, fxz), f13 = i13(fxx, fzz, fxz);
constexpr double f22 = 0.06 + 4.0*(0.1225 + 0.0144);
}  // namespace bicycle

struct Place {  // sines and cosines of φ, α, δ; the vertical in E; from the front hub to its contact; the joint's equations
  double sp, cp, s, c, D, C, k1, k2, k3, K, lean, rho1, rho3, reach, turn, t11, t12, t21, below, over;
};
struct Ties {  // w2, w3, Q by u
  double w2[3], w3[3], Q[3];
};
DEVICE void placed(const double (&y)[N], Place &a) {
  using namespace bicycle;
  SINCOS(y[3], a.sp, a.cp)
  SINCOS(y[4] + TILT, a.s, a.c)
  SINCOS(y[5], a.D, a.C)
  const double ahead = -a.s*a.cp;
  a.k1 = a.C*ahead + a.D*a.sp;
  a.k2 = a.C*a.sp - a.D*ahead;
  a.k3 = a.c*a.cp;
  const double square = a.k1*a.k1 + a.k3*a.k3, inverse = rsqrt(square);
  a.K = square*inverse;
  a.rho1 = F*inverse*a.k1;
  a.rho3 = F*inverse*a.k3;
  a.lean = a.k2*inverse*(1.0/F);
  a.reach = a.rho3 + f;
  a.turn = f*a.rho1 - e*a.rho3;
  a.t11 = a.turn*a.C - a.rho3*d;
  a.t12 = a.rho1*a.D;
  a.t21 = -a.D*a.reach;
  const double det = a.C*a.t11 - a.t12*a.t21, arm = d + R*a.s, both = 1.0/(det*arm);
  a.below = both*arm;
  a.over = both*det;
}
DEVICE void tied(const Place &a, Ties &b) {
  using namespace bicycle;
  const double right1[3] = {a.turn*a.D, -(a.rho1*a.C*a.c + a.rho3*a.s), 0.0};
  const double right2[3] = {a.C*a.reach, a.D*a.c, -(a.rho1 + e)};
  const double first[3] = {R*a.c, 0.0, 0.0};
  const double spin1 = 1.0/(F*F)*a.rho1, spin3 = 1.0/(F*F)*a.rho3;
  for (int j = 0; j < 3; j++) {
    b.w2[j] = (a.C*right1[j] - a.t12*right2[j])*a.below;
    const double across = (a.t11*right2[j] - a.t21*right1[j])*a.below;
    b.w3[j] = (across - first[j])*a.over;
    const double q = (j == 0 ? -a.D : 0.0) + a.C*b.w2[j];
    const double x = (j == 1 ? a.C*a.c : 0.0) + a.D*across + f*q, z = (j == 1 ? a.s : 0.0) - d*b.w2[j] - e*q;
    b.Q[j] = spin1*z - spin3*x;
  }
}
struct Rates {  // what u makes of the other speeds
  double w2, w3, q, Q, roll, mu, nu, pitch, steer;
};
DEVICE void rated(const double (&y)[N], const Place &a, const Ties &b, Rates &m, double (&k)[N]) {
  using namespace bicycle;
  const double w1 = y[8], sigma = y[9], r = y[10];
  m.w2 = b.w2[0]*w1 + b.w2[1]*sigma + b.w2[2]*r;
  m.w3 = b.w3[0]*w1 + b.w3[1]*sigma + b.w3[2]*r;
  m.Q = b.Q[0]*w1 + b.Q[1]*sigma + b.Q[2]*r;
  m.q = a.C*m.w2 - a.D*w1;
  m.roll = a.c*w1 + a.s*m.w3;
  m.nu = a.c*m.w3 - a.s*w1;
  const double yaw = m.nu/a.cp;
  m.mu = yaw*a.sp;
  m.pitch = m.w2 - m.mu;
  m.steer = r - m.w3;
  double sine, cosine;
  SINCOS(y[2], sine, cosine)
  const double speed = sigma + R*m.mu;
  k[0] = speed*cosine;
  k[1] = speed*sine;
  k[2] = yaw;
  k[3] = m.roll;
  k[4] = m.pitch;
  k[5] = m.steer;
  k[6] = (-1.0/R)*speed;
  k[7] = m.Q - m.q;
}
DEVICE void slopes(const double (&y)[N], double (&k)[N]) {
  using namespace bicycle;
  Place a;
  Ties b;
  Rates m;
  placed(y, a);
  tied(a, b);
  rated(y, a, b, m, k);
  const double w1 = y[8], sigma = y[9], r = y[10], w2 = m.w2, w3 = m.w3, q = m.q, Q = m.Q, p = a.C*w1 + a.D*w2;
  const double C = a.C, D = a.D, c = a.c, s = a.s, rho1 = a.rho1, rho3 = a.rho3;
  // accelerations for u′ = 0: of the rear hub in the lean, turned into S; the joint's; the front hub's in E
  const double forth = -R*m.nu*m.roll, side = m.nu*(sigma + R*m.pitch), up = R*m.roll*m.roll - m.mu*sigma;
  const double x0 = c*forth - s*up, z0 = s*forth + c*up, joint_x = x0 - d*(w2*w2 + w3*w3), joint_z = z0 + d*w1*w3;
  const double joint_y = side + d*w1*w2;
  const double Y = p*rho3 - r*rho1, E = p*rho1 + r*rho3, kappa = a.lean*E;
  const double front_x = Q*kappa*rho1 - r*Y, front_y = (q - Q - kappa)*E, front_z = Q*kappa*rho3 + p*Y;
  const double g1 = q*f, g2 = r*e - p*f, g3 = -q*e;
  const double bx = front_x - (q*g3 - r*g2), by = front_y - (r*g1 - p*g3), bz = front_z - (p*g2 - q*g1);
  const double dp0 = m.steer*q, dq0 = -m.steer*p;
  const double right1 = rho1*(bx - C*joint_x) + rho3*(bz - joint_z) - a.turn*dq0;
  const double right2 = D*joint_x + dp0*a.reach + by;
  const double dw2 = (C*right1 - a.t12*right2)*a.below, across = (a.t11*right2 - a.t21*right1)*a.below;
  const double dw3 = (across - joint_y)*a.over, dp = dp0 + D*dw2, dq = dq0 + C*dw2;
  const double dQ = (1.0/(F*F))*(rho1*(joint_z - d*dw2 - e*dq - bz) - rho3*(C*joint_x + D*across + f*dq - bx));
  // the rear gyrostat, its hub falling up: m a, then moments about the hub, by (w1, w2, w3, σ)
  const double rear_up = up - g*a.cp, rear_x = c*forth - s*rear_up, rear_z = s*forth + c*rear_up;
  const double rear_y = side - g*a.sp + R*s*dw3;
  const double e1 = mr3*w2, e2 = mr1*w3 - mr3*w1, e3 = -mr1*w2;
  const double P1 = mr*rear_x + mr3*dw2 + w2*e3 - w3*e2, P2 = mr*rear_y + mr1*dw3 + w3*e1 - w1*e3;
  const double P3 = mr*rear_z - mr1*dw2 + w1*e2 - w2*e1;
  const double L1 = r11*w1 + r13*w3, L2 = r22*w2 - (spinr/R)*sigma, L3 = r13*w1 + r33*w3;
  const double by_w1 = r13*dw3 + w2*L3 - w3*L2 - mr3*rear_y + R*c*P2;
  const double by_w2 = r22*dw2 + w3*L1 - w1*L3 + mr3*rear_x - mr1*rear_z;
  const double by_w3 = r33*dw3 + w1*L2 - w2*L1 + mr1*rear_y + R*s*P2, by_sigma = c*P1 + s*P3;
  // the front one, by (p, q, r, Q)
  const double hub_x = front_x - dQ*rho3 - g*a.k1, hub_y = front_y + dp*rho3 - g*a.k2, hub_z = front_z + dQ*rho1 - g*a.k3;
  const double h1 = mf3*q, h2 = mf1*r - mf3*p, h3 = -mf1*q;
  const double T1 = mf*hub_x + mf3*dq + q*h3 - r*h2, T2 = mf*hub_y - mf3*dp + r*h1 - p*h3;
  const double T3 = mf*hub_z - mf1*dq + p*h2 - q*h1;
  const double l1 = f11*p + f13*r, l2 = f22*q + spinf*Q, l3 = f13*p + f33*r;
  const double by_p = f11*dp + q*l3 - r*l2 - mf3*hub_y + rho3*T2, by_q = f22*dq + r*l1 - p*l3 + mf3*hub_x - mf1*hub_z;
  const double by_r = f13*dp + p*l2 - q*l1 + mf1*hub_y - rho1*T2, by_Q = spinf*dQ + rho1*T3 - rho3*T1;
  const double force1 = by_w1 + C*by_p - D*by_q, force2 = by_w2 + D*by_p + C*by_q;
  // masses by (w1, w2, w3, σ, r, Q), then by u
  const double fpp = f11 + rho3*(mf*rho3 - 2.0*mf3), frr = f33 + rho1*(mf*rho1 - 2.0*mf1);
  const double fpr = f13 + mf3*rho1 + rho3*(mf1 - mf*rho1), fqQ = -(mf3*rho3 + mf1*rho1), fQQ = mf*F*F + spinf;
  const double rc = R*c, rs = R*s, part = fpp - f22, m12 = C*D*part, m1r = C*fpr, m2r = D*fpr, m1Q = -D*fqQ, m2Q = C*fqQ;
  const double m11 = r11 + rc*(mr*rc - 2.0*mr3) + f22 + C*C*part, m22 = r22 + fpp - C*C*part;
  const double m13 = r13 + mr1*rc + rs*(mr*rc - mr3), m33 = r33 + rs*(mr*rs + 2.0*mr1), m2s = mr3*c - mr1*s;
  const double mss = mr + spinr/(R*R);
  double along2[3], along3[3], alongQ[3], k_[3];
  const double with2[3] = {m12, m2s, m2r};
  for (int j = 0; j < 3; j++) {
    along2[j] = with2[j] + m22*b.w2[j] + m2Q*b.Q[j];
    along3[j] = (j == 0 ? m13 : 0.0) + m33*b.w3[j];
    alongQ[j] = (j == 0 ? m1Q : 0.0) + m2Q*b.w2[j] + fQQ*b.Q[j];
    k_[j] = -((j == 0 ? force1 : j == 1 ? by_sigma : by_r) + b.w2[j]*force2 + b.w3[j]*by_w3 + b.Q[j]*by_Q);
  }
  const double M11 = m11 + m12*b.w2[0] + m13*b.w3[0] + m1Q*b.Q[0] + b.w2[0]*along2[0] + b.w3[0]*along3[0] + b.Q[0]*alongQ[0];
  const double M21 = m2s*b.w2[0] + b.w2[1]*along2[0] + b.w3[1]*along3[0] + b.Q[1]*alongQ[0];
  const double M31 = m1r + m2r*b.w2[0] + b.w2[2]*along2[0] + b.w3[2]*along3[0] + b.Q[2]*alongQ[0];
  const double M22 = mss + m2s*b.w2[1] + b.w2[1]*along2[1] + b.w3[1]*along3[1] + b.Q[1]*alongQ[1];
  const double M32 = m2r*b.w2[1] + b.w2[2]*along2[1] + b.w3[2]*along3[1] + b.Q[2]*alongQ[1];
  const double M33 = frr + m2r*b.w2[2] + b.w2[2]*along2[2] + b.w3[2]*along3[2] + b.Q[2]*alongQ[2];
  const double one = 1.0/M11, l21 = M21*one, l31 = M31*one, d22 = M22 - l21*M21, d32 = M32 - l31*M21;
  const double two = 1.0/d22, l32 = d32*two, d33 = M33 - l31*M31 - l32*d32;
  const double r2 = k_[1] - l21*k_[0];
  k[10] = (k_[2] - l31*k_[0] - l32*r2)/d33;
  k[9] = two*r2 - l32*k[10];
  k[8] = one*k_[0] - l21*k[9] - l31*k[10];
}
// Given states are not quite on the constraints: the nearest that are, by Newton's method.
DEVICE void begin(const double (&given)[ALL], double (&y)[N]) {
  using namespace bicycle;
  Place a;
  for (int i = 0; i < 8; i++) y[i] = given[i];
  for (int turn = 0; turn < 8; turn++) {
    placed(y, a);
    const double ahead = -a.s*a.cp, height = d*ahead - R*a.cp + e*a.k1 + f*a.k3 + F*a.K, e1 = e + a.rho1, e3 = f + a.rho3;
    // the contact turned about the axes of lean, pitch and steer
    const double by_phi = R*a.sp + d*a.s*a.sp + e1*(a.C*a.s*a.sp + a.D*a.cp) - e3*a.c*a.sp;
    const double by_chi = -d*a.c*a.cp - e1*a.C*a.c*a.cp - e3*a.s*a.cp, by_delta = e1*a.k2;
    const double part = height/(by_phi*by_phi + by_chi*by_chi + by_delta*by_delta);
    y[3] -= part*by_phi;
    y[4] -= part*by_chi;
    y[5] -= part*by_delta;
  }
  Ties b;
  Rates m;
  double columns[3][N];
  placed(y, a);
  tied(a, b);
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) y[8 + i] = i == j ? 1.0 : 0.0;
    rated(y, a, b, m, columns[j]);
  }
  double G[3][3], right[3];
  for (int i = 0; i < 3; i++) {
    right[i] = 0.0;
    for (int l = 0; l < 8; l++) right[i] += columns[i][l]*given[8 + l];
    for (int j = 0; j < 3; j++) {
      G[i][j] = 0.0;
      for (int l = 0; l < 8; l++) G[i][j] += columns[i][l]*columns[j][l];
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      if (j == i) continue;
      const double factor = G[j][i]/G[i][i];
      for (int l = 0; l < 3; l++) G[j][l] -= factor*G[i][l];
      right[j] -= factor*right[i];
    }
  }
  for (int i = 0; i < 3; i++) y[8 + i] = right[i]/G[i][i];
}
DEVICE void finish(const double (&y)[N], double (&found)[ALL]) {
  Place a;
  Ties b;
  Rates m;
  double k[N];
  placed(y, a);
  tied(a, b);
  rated(y, a, b, m, k);
  for (int i = 0; i < 8; i++) {
    found[i] = y[i];
    found[8 + i] = k[i];
  }
}
DEVICE void settle(double (&)[N]) {}
