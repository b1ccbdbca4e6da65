// The state of a motion with contacts between two kernels: one follows it in registers (contact/bounce.hpp), the other
// by the full loop (keep.hpp).
#pragma once

#include "books.hpp"
#include "contact/state.hpp"

namespace dalembert {

struct Carried {
    double* numbers;  // see below
    double* largest;  // as in `Sizes`
    Contact* contact;
    Friction* friction;
    int* power;       // as in `Guards`
    Books books;

    HD double& time() const { return numbers[0]; }
    HD double& length() const { return numbers[1]; }  // of the next step
    HD double& begun() const { return numbers[2]; }   // 0 until the first mode is known

    HD static Carried in(Block& block, const Counts& c, const Plan& plan) {
        Carried s;
        s.numbers = block.take<double>(3);
        s.largest = block.take<double>(c.size() + 1);
        s.contact = block.take<Contact>(c.contacts + 1);
        s.friction = block.take<Friction>(c.frictions + 1);
        s.power = block.take<int>(c.all_guards());
        s.books = Books::in(block, c, plan);
        return s;
    }

    // Begin a motion: nothing is known of it.
    HD void open(const Counts& c, const Plan& plan) {
        time() = plan.settings.start, length() = 0.0, begun() = 0.0;
        for (int i = 0; i < c.contacts; ++i) contact[i] = Contact{}, contact[i].last_time = plan.settings.start;
        for (int j = 0; j < c.frictions; ++j) friction[j] = Friction{};
        for (int g = 0; g < c.all_guards(); ++g) power[g] = 0;
        books.open(c, plan);
    }
};

}  // namespace dalembert
