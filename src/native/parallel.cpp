#include "parallel.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <pthread.h>
#endif

namespace firebreak {
namespace {

constexpr i64 MOST_THREADS = 1024;

struct Shared {
    i64 next, count;
    void (*task)(const void*, i64, i64);
    const void* context;
};

struct Worker {
    Shared* shared;
    i64 number;
};

void work(Shared& shared, i64 thread) {
    for (;;) {
        const i64 k = __atomic_fetch_add(&shared.next, 1, __ATOMIC_RELAXED);
        if (k >= shared.count) return;
        shared.task(shared.context, k, thread);
    }
}

#ifdef _WIN32
using Handle = HANDLE;
DWORD WINAPI body(void* own) {
    work(*static_cast<Worker*>(own)->shared, static_cast<Worker*>(own)->number);
    return 0;
}
bool start(Handle& handle, Worker& worker) {
    handle = CreateThread(nullptr, 0, body, &worker, 0, nullptr);
    return handle != nullptr;
}
void join(Handle handle) {
    WaitForSingleObject(handle, INFINITE);
    CloseHandle(handle);
}
#else
using Handle = pthread_t;
void* body(void* own) {
    work(*static_cast<Worker*>(own)->shared, static_cast<Worker*>(own)->number);
    return nullptr;
}
bool start(Handle& handle, Worker& worker) {
    return pthread_create(&handle, nullptr, body, &worker) == 0;
}
void join(Handle handle) { pthread_join(handle, nullptr); }
#endif

}  // namespace

void run_parallel(i64 count, i64 threads, void (*task)(const void*, i64, i64),
                  const void* context) {
    Shared shared{0, count, task, context};
    Worker workers[MOST_THREADS];
    Handle handles[MOST_THREADS];
    if (threads > count) threads = count;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    i64 started = 0;
    for (i64 thread = 1; thread < threads; thread++) {
        workers[started] = {&shared, thread};
        if (!start(handles[started], workers[started])) break;
        started++;
    }
    work(shared, 0);
    for (i64 k = 0; k < started; k++) join(handles[k]);
}

}  // namespace firebreak
