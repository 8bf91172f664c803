// Decisions of crews: is a break held when fire arrives, is a fire contained at the initial attack.
//
// Each break is decided once in a fire, when fire first arrives, by when and how fire came; a
// diagonal between two breaks is decided in the same way. What is decided later cannot change what
// was decided before, but for the number of cells that crews hold in one fire: so these fires burn
// in the order of time, one cell after the other, and burn anew as a whole where breaks change.
#pragma once

#include "front.h"

namespace firebreak {

// A diagonal arc to a child. Fire leaves the parent at `now` and would arrive at `late`.
struct Diagonal {
    i64 child, step;
    float now, late;
};

// Do crews hold a break (`may_hold`) at which fire arrives at `time`, as `work` says how?
bool holds(i64 cell, float time, const Fire& fire, const Scratch& work);

// Do crews hold the corner that a diagonal step crosses between two breaks, or between a break and
// ground that does not burn?
bool corner_held(const Diagonal& arc, const Fire& fire, const Scratch& work);

// Has crews hold a break; returns the new number of cells burned, of which a break narrower than
// its cell is one.
i64 stop(i64 cell, i64 burned, const FireView& view, Scratch& work);

// Chance that the initial attack contains a fire.
double containment_chance(double area_ha, double intensity_kw_m);

// Takes back what burns after the initial attack where that contains the fire, by its area and the
// intensity of its head then; returns the number of cells burned.
i64 end_if_contained(i64 burned, const Fire& fire, Scratch& work);

}  // namespace firebreak
