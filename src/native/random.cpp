// Random numbers of many places.
#include "random.h"

#include "structs.h"

ENTRY(fill_uniform, FillUniform) {
    for (firebreak::i64 k = 0; k < call.out.size(); k++)
        call.out[k] = firebreak::uniform(call.key[k], call.cell[k], call.draw[k]);
    return nullptr;
}
