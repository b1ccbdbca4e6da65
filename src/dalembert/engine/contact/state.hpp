// Named state of contacts and frictions.
#pragma once

#include "../model.hpp"

namespace dalembert {

struct Contacts {
    HD static Contacts in(Block&, const Counts&) { return {}; }
};

}  // namespace dalembert
