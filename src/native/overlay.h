// Codes that say where breaks are.
#pragma once

#include "array.h"

namespace firebreak {

// Writes the codes of `tables.h` around a burnable cell whose break came or went. breaks, [H, W]:
// as they are now, all of one kind. state, [P]: of the padded map.
void write_break(i64 row, i64 col, u8 kind, Array<const bool, ANY, ANY> breaks, u8* state);

}  // namespace firebreak
