// What is made of a burned fire: classes of intensity, its loss, what is lost below each cell.
#pragma once

#include "front.h"

namespace firebreak {

// Sets the class of intensity in which each burned cell burned.
void classify(i64 burned, const Fire& fire, const Array<const double, ANY>& limits,
              Scratch& work);

// The fire's loss; what each burned cell loses goes into `below`. value: [C, P]; classes are looked
// at where C is above 1.
double loss_of(i64 burned, const Array<const float, ANY, ANY>& value, Scratch& work);

// Turns what each cell loses into what is lost in the fire's tree below it, itself included: each
// cell hands its sum to its parents by weight, last burned first (a topological order).
void hand_down(i64 burned, const i64* offset, Scratch& work);

}  // namespace firebreak
