// Propagation of what `repair.h` has invalidated and queued: fire spreads from the rim of what
// stands into the invalidated cells.
//
// A cell that still stands may burn earlier than before: a later end of a facet can lead to a
// better point of it, see `facet_weight`. It is then invalidated too.
#pragma once

#include "kept_fire.h"

namespace firebreak {

// Lets fire spread from the queue into the invalidated cells; returns how many it reached, which
// are in `order` then.
i64 propagate(i64 size, const KeptFire& fire);

}  // namespace firebreak
