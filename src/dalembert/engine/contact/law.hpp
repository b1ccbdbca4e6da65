// The model's laws of contacts and frictions at the loaded state, and the rows that are active in a mode.
#pragma once

#include "../lengths.hpp"
#include "../system.hpp"

namespace dalembert {

constexpr double TINY = 1e-11;      // relative to the speeds that make up a row: a smaller rate counts as zero
constexpr double TOUCHING = 1e-12;  // relative to the lengths that make up a gap: a smaller gap counts as zero

template <class M>
struct Law {
    System<M>& s;
    const Counts& c;
    Contacts& k;

    HD explicit Law(System<M>& system) : s(system), c(system.counts), k(system.contacts) {}

    HD const ContactLaw& contact(int i) const { return s.model->contacts[i]; }
    HD const FrictionLaw& friction(int j) const { return s.model->frictions[j]; }
    HD const double* after_slips() const { return s.at_laws + c.m - c.bilateral; }
    HD double coefficient(int j) const { return after_slips()[j]; }
    HD double static_coefficient(int j) const { return after_slips()[c.frictions + j]; }
    HD double given_normal(int j) const { return after_slips()[2 * c.frictions + j]; }
    HD double restitution(int i) const { return after_slips()[3 * c.frictions + i]; }
    HD double slip(int j, int component) const { return s.at_laws[friction(j).slip_start - c.bilateral + component]; }
    HD double slip_size(int j) const {
        const double first = slip(j, 0);
        if (friction(j).slip_count == 1) return fabs(first);
        return sqrt(first * first + square(slip(j, 1)));
    }

    HD bool rests(int j) const { return slip_size(j) <= TINY * slip_scale(j); }

    HD bool closed(int i) const { return k.contact[i].mode == CLOSED; }
    HD bool slips(int j) const { return k.friction[j].mode == SLIP; }
    HD bool slips_in_plane(int j) const { return slips(j) && friction(j).slip_count == 2; }
    HD bool touches(int j) const {  // whether the contact that presses it is closed
        return friction(j).presser != BY_CONTACT || closed(friction(j).pressed_by);
    }

    // N of a friction from the multipliers.
    HD double pressing(int j, const double* nu) const {
        const FrictionLaw& f = friction(j);
        if (f.presser == GIVEN) return larger(given_normal(j), 0.0);
        return f.presser == BY_CONTACT ? nu[contact(f.pressed_by).row] : fabs(nu[f.pressed_by]);
    }

    // A component of a slip's unit vector: from the mode on a line, from the slip itself in a plane. A slip that creeps
    // out of its cone, or starts from the rounding of a stick, has no direction of its own yet.
    HD double along(int j, int component) const {
        const Friction& one = k.friction[j];
        if (friction(j).slip_count == 2 && one.from_rest != CREEPS) {
            const double length = slip_size(j), least = one.from_rest == STARTED ? TINY * slip_scale(j) : 1e-300;
            if (length > least) return slip(j, component) / length;
        }
        return one.along[component];
    }

    // The size of the terms of a row's rate, and of a gap; their rounding is relative to it.
    HD double rate_scale(int row) const {
        return terms_of(s.F + c.at_A() + row * c.n, s.x + 1 + c.n, s.natural + c.n, c.n);
    }
    HD double slip_scale(int j) const {
        return largest_of(friction(j).slip_count, [&](int i) { return rate_scale(friction(j).slip_start + i); });
    }
    HD double gap_scale(int i) const {
        return terms_of(s.at_position + c.holonomic + (c.bilateral_holonomic + i) * c.n, s.x + 1, s.natural, c.n);
    }

    // The rate of a contact's gap, the rate below which it counts as zero, and whether the gap is zero.
    HD double rate(int i) const { return k.rates[contact(i).row]; }
    HD double slow(int i) const { return TINY * rate_scale(contact(i).row); }
    HD bool is_touching(int i) const { return fabs(s.gap(i)) <= TOUCHING * gap_scale(i); }

    // No contact rebounds from here on.
    HD void forget_restitution() {
        for (int i = 0; i < c.contacts; ++i) s.at_laws[c.m - c.bilateral + 3 * c.frictions + i] = 0.0;
    }

    // Compute dynamics, laws, gaps and the rates of all rows at a state.
    HD void survey(double t, const double* y) {
        s.load(t, y);
        s.dynamics();
        s.laws();
        if (c.holonomic > 0) s.position();
        s.velocity();
        for (int i = 0; i < c.m; ++i) k.rates[i] = s.at_velocity[i];
    }

    // Discard the kept accelerations and decisions.
    HD void forget() {
        k.kept = nullptr;
        k.entered.forget(), k.decided.forget(), k.struck.forget();
    }

    // Find what was kept of the present mode, or a place for it.
    HD APART void recall_mode() {
        for (int i = 0; i < c.contacts; ++i) k.entered.asked[i] = k.contact[i].mode;
        for (int j = 0; j < c.frictions; ++j) {
            const Friction& one = k.friction[j];
            const int way = one.mode != SLIP ? 0 : 4 * (one.along[0] > 0.0) + 8 * (one.sign > 0.0);
            k.entered.asked[c.contacts + j] = one.mode + way;
        }
        const int place = k.entered.place();
        k.kept = k.modes + (place < 0 ? k.entered.new_place() : place);
        if (place < 0 || !k.kept->unique) {
            k.kept->known = 0, k.kept->unique = false;
        } else {
            k.bent = k.kept->bent;
            share_nothing();
        }
    }

    // All forces of the mode are unique.
    HD void share_nothing() const {
        k.margin = false, k.nullity = 0;
        for (int i = 0; i < c.contacts; ++i) k.contact[i].shared = false;
        for (int j = 0; j < c.frictions; ++j) k.friction[j].shared = false;
    }

    // The number of the present mode among those that are written out, or −1.
    HD APART int written_mode() const {
        const int both = c.contacts + c.frictions;
        for (int p = 0; p < c.modes; ++p)
            if (is_mode(s.model->mode_statuses + p * both, k.contact, c.contacts, k.friction, c.frictions)) return p;
        return -1;
    }

    // Find the rows that are active in the present mode.
    HD APART void enter_mode() {
        int count = 0, level = 0;
        for (int i = 0; i < c.bilateral; ++i) k.active[count++] = i;
        for (int i = 0; i < c.bilateral_holonomic; ++i) k.flat[level++] = i;
        for (int i = 0; i < c.contacts; ++i)
            if (closed(i)) k.active[count++] = contact(i).row, k.flat[level++] = c.bilateral_holonomic + i;
        k.unbound = count == c.bilateral;
        for (int j = 0; j < c.frictions; ++j) {
            const FrictionLaw& f = friction(j);
            if (k.friction[j].mode == OFF) continue;
            k.unbound = false;
            for (int i = 0; i < (slips(j) ? 0 : f.slip_count); ++i) k.active[count++] = f.slip_start + i;
            for (int i = 0; i < f.held_count; ++i) k.active[count++] = f.held_start + i;
        }
        k.slides = any_of(c.frictions, [&](int j) { return slips(j); });
        k.planar = any_of(c.frictions, [&](int j) { return slips_in_plane(j); });
        k.written = written_mode();
        k.kept = nullptr;
        if (c.uniform && !k.planar) recall_mode();
        s.rows = {k.active, count, k.active, count, false};
        s.holonomic = k.flat, s.holonomic_count = level;
        s.rank_phi = s.rank_psi = s.solver.rank = s.solver.left_rank = -1;
    }
};

// The statuses of contacts, then of frictions.
template <class M>
HD void mark_mode(const Law<M>& law, int* out) {
    for (int i = 0; i < law.c.contacts; ++i) out[i] = law.k.contact[i].mode;
    for (int j = 0; j < law.c.frictions; ++j) out[law.c.contacts + j] = law.k.friction[j].mode;
}

}  // namespace dalembert
