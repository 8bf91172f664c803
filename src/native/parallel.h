// Work on several threads, which live as long as the call: nothing spins, and nothing is left that
// a fork could break.
#pragma once

#include "array.h"

namespace firebreak {

// Calls task(context, k, thread) for each k below `count`, in any order, thread below `threads`.
// The calling thread works too. Fewer threads work where the system starts no more.
void run_parallel(i64 count, i64 threads, void (*task)(const void*, i64, i64),
                  const void* context);

// The same with a function object task(k, thread).
template <class Task>
void parallel_for(i64 count, i64 threads, const Task& task) {
    run_parallel(
        count, threads,
        [](const void* own, i64 k, i64 thread) { (*static_cast<const Task*>(own))(k, thread); },
        &task);
}

}  // namespace firebreak
