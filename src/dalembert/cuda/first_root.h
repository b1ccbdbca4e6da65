// The first root of guards in a step, as `simulate.guards` and `simulate.roots` look for it, at every second node.
struct Stretch { double t, t_new; };

// A guard at a fraction of the step.
template <class GUARD>
FUNCTION double seen(const double s, const Stretch &span, const Vector &y, const Vector (&dense)[7], const Parameters &p) {
  Vector state;
  between(s, y, dense, state);
  return GUARD::at(span.t + s * (span.t_new - span.t), state, p);
}

// Where a guard falls to zero first: NOWHERE, or UNTOLD where one sign change does not tell. A zero with which it begins is
// divided out, twice where it is a double one.
#define NOWHERE 2.0
#define UNTOLD (-1.0)
template <class GUARD>
FUNCTION double first_root(
    const Stretch &span, const Vector &y, const Vector &fresh, const Vector (&dense)[7], const Parameters &p,
    const bool begins) {
  double values[8], shape[8], c[8], largest = 0.0, most = 0.0;
  UNROLLED
  for (int j = 0; j < 7; j++) values[j] = seen<GUARD>(NODES_OF_STEP[j], span, y, dense, p);
  values[7] = GUARD::at(span.t_new, fresh, p);
  UNROLLED
  for (int j = 0; j < 8; j++) largest = greater(largest, fabs(values[j]));
  UNROLLED
  for (int k = 0; k < 3; k++) {
    double tail = 0.0;
    UNROLLED
    for (int j = 0; j < 8; j++) tail += TAIL_OF_NODES[k][j] * values[j];
    most = greater(most, fabs(tail));
  }
  if (!begins) {
    UNROLLED
    for (int i = 0; i < 8; i++) {
      shape[i] = values[i];
      c[i] = 0.0;
      UNROLLED
      for (int j = 0; j < 8; j++) c[i] += BERNSTEIN[i][j] * values[j];
    }
  } else {
    UNROLLED
    for (int j = 1; j < 8; j++) shape[j] = values[j] / NODES_OF_STEP[j];
    shape[0] = shape[1];
    UNROLLED
    for (int i = 0; i < 7; i++) {
      c[i] = 0.0;
      UNROLLED
      for (int j = 0; j < 7; j++) c[i] += BERNSTEIN_DEFLATED[i][j] * shape[j + 1];
    }
    c[7] = c[6];
    if (fabs(c[0]) <= (10.0 * most + 1e-15 * largest) / NODES_OF_STEP[1]) c[0] = c[1];  // a double zero, and this its rounding
  }
  double low = c[0], least = shape[0], greatest = shape[0];
  bool rises = true, falls = true;
  int changes = 0;
  UNROLLED
  for (int i = 1; i < 8; i++) {
    changes += (c[i - 1] >= 0.0) != (c[i] >= 0.0);
    low = smaller(low, c[i]);
    least = smaller(least, shape[i]);
    greatest = greater(greatest, shape[i]);
    rises = rises && shape[i] >= shape[i - 1];
    falls = falls && shape[i] <= shape[i - 1];
  }
  const bool exact = most <= 1e-13 * largest;  // a polynomial to rounding
  if (!(c[0] > 0.0 || (c[0] == 0.0 && !begins)) || !(exact || most <= UNRESOLVED * (greatest - least) || least > 10.0 * most)) return UNTOLD;
  if (changes == 0) return exact || low > 10.0 * most ? NOWHERE : UNTOLD;
  if (changes > 1 || !(exact || rises || falls)) return UNTOLD;
  double a = 0.0, at_a = values[0], b = 1.0, at_b = values[7];
  UNROLLED
  for (int j = 6; j >= 1; j--)
    if (values[j] < 0.0) {
      b = NODES_OF_STEP[j];
      at_b = values[j];
    }
  UNROLLED
  for (int j = 1; j < 7; j++)
    if (NODES_OF_STEP[j] < b && values[j] >= 0.0) {
      a = NODES_OF_STEP[j];
      at_a = values[j];
    }
  if (!(at_b < 0.0)) return at_b == 0.0 ? 1.0 : UNTOLD;
  if (a == 0.0 && begins) at_a = -at_b;
  double x1 = b, f1 = at_b, x2 = a, f2 = at_a, x3 = a, f3 = at_a;
  ROLLED
  for (int turn = 0; turn < 200 && f1 != 0.0; turn++) {
    const double least = APART_BY(span.t, span.t_new - span.t, x1, x2);
    const double s = NEXT_PLACE(x1, f1, x2, f2, x3, f3, least);
    if (fabs(x2 - x1) <= 2.1 * least || s == x1 || s == x2) break;
    const double value = seen<GUARD>(s, span, y, dense, p);
    if ((value >= 0.0) == (f1 >= 0.0)) {
      x3 = x1;
      f3 = f1;
    } else {
      x3 = x2;
      f3 = f2;
      x2 = x1;
      f2 = f1;
    }
    x1 = s;
    f1 = value;
  }
  return f1 == 0.0 ? x1 : greater(x1, x2);
}

struct First {
  double place;
  int what;
  bool told;
  FUNCTION_MEMBER void take(const double s, const int guard) {
    told = told && s != UNTOLD && (s == NOWHERE || fabs(s - place) > 1e-12);  // or two at once
    if (s < place) {
      place = s;
      what = guard;
    }
  }
};
