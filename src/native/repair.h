// Repair: what a change of breaks changes in one fire.
//
// A break that is new takes arcs away. Invalidated are the cells that fire reached through it,
// those whose recorded arc it closes, and all that depend on either through their parents. A break
// that is gone adds arcs: invalidated are the cells that these serve better, and all that depend on
// them. What is invalidated is repaired from the rim of what still stands; every other cell keeps
// its time, unless an arc through a cell that now burns at another time has become the better one.
// The result has the bits of burning anew, because a cell's time is the least of its arcs' times,
// each a function of the final times of the arc's ends alone, whatever the order in which they are
// looked at.
#pragma once

#include "kept_fire.h"

namespace firebreak {

// Invalidates what breaks that came or went at inner cells change, and queues what known cells
// reach; returns the queue's size. `propagate` does the rest.
i64 change(Array<const i64, ANY> cells, const Crossing& crossing, const KeptFire& fire);

// Invalidates a cell that stands and what depends on it, and queues them; returns the queue's size.
i64 start_over(i64 cell, i64 size, const KeptFire& fire);

// Makes the fire stand as it is now, and forgets what changed.
void commit(const KeptFire& fire);

// Makes the fire what it was before the changes, and forgets them.
void rollback(const KeptFire& fire);

// Lets fire spread from the queue into the invalidated cells; returns how many it reached, which
// are in `order` then. A cell that still stands may burn earlier than before: a later end of a
// facet can lead to a better point of it, see `facet_weight`. It is then invalidated too.
i64 propagate(i64 size, const KeptFire& fire);

}  // namespace firebreak
