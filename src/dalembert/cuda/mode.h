static FUNCTION_MEMBER int evaluate(
    const double t, const Vector &y, const Parameters &p, const bool, Vector &out, Ranks &) {
  return slopes(t, y, p, out) ? DONE : LEFT;
}
static FUNCTION_MEMBER double at(const double t, const Vector &y, const Parameters &p) {  // what its cone leaves
  double guard, force, rate;
  watched(t, y, p, guard, force, rate);
  return guard;
}
