// Plays recorded calls of the native library again, and compares what they write, bit for bit.
//
//     native_replay CALLS [THREADS]
//
// `native_calls.py` records the calls and builds this with the library's own sources: for another
// processor, and for the thread sanitizer. With THREADS, the calls that are parallel have as many,
// and what each thread writes for itself is not compared.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using Entry = const char* (*)(const void*);

struct Named {
    const char* name;
    Entry call;
};

#include "entries.inc"

std::FILE* file;

void read(void* to, std::size_t bytes) {
    if (std::fread(to, 1, bytes, file) != bytes) {
        std::fprintf(stderr, "the recording ends too soon\n");
        std::exit(2);
    }
}

std::uint64_t number() {
    std::uint64_t value;
    read(&value, sizeof value);
    return value;
}

struct Part {
    unsigned char* data;
    unsigned char* after;
    std::size_t bytes;
    bool by_thread;
};

Entry entry_named(const char* name) {
    for (const Named& entry : ENTRIES)
        if (std::strcmp(entry.name, name) == 0) return entry.call;
    std::fprintf(stderr, "no entry %s\n", name);
    std::exit(2);
}

// Reads a call's arrays into memory of exactly their size, so that a read past an end is found.
bool play(std::uint64_t threads) {
    char name[64] = {};
    read(name, number());
    const std::uint64_t parallel = number(), count = number();
    auto* words = static_cast<std::uint64_t*>(std::malloc(count * 8));
    read(words, count * 8);
    if (parallel && threads) words[0] = threads;
    const std::uint64_t arrays = number();
    auto* parts = static_cast<Part*>(std::calloc(arrays + 1, sizeof(Part)));
    for (std::uint64_t k = 0; k < arrays; k++) {
        const std::uint64_t place = number(), compared = number();
        Part& part = parts[k];
        part.by_thread = number() != 0;
        part.bytes = number();
        // As NumPy does: at least 16 bytes of alignment; 64 for what the kernels read by lines.
        part.data = static_cast<unsigned char*>(std::aligned_alloc(64, (part.bytes + 127) / 64 * 64));
        read(part.data, part.bytes);
        if (compared) {
            part.after = static_cast<unsigned char*>(std::malloc(part.bytes + 1));
            read(part.after, part.bytes);
        }
        words[place] = reinterpret_cast<std::uint64_t>(part.data);
    }
    const char* fault = entry_named(name)(words);
    bool same = fault == nullptr;
    std::printf("%s %s", name, fault ? fault : "");
    for (std::uint64_t k = 0; k < arrays; k++) {
        const Part& part = parts[k];
        if (part.after && !(threads && part.by_thread)
            && std::memcmp(part.data, part.after, part.bytes) != 0) {
            same = false;
            std::printf(" array %d DIFFERS", int(k));
        }
        std::free(part.data);
        std::free(part.after);
    }
    std::printf("%s\n", same ? "same" : "");
    std::free(parts);
    std::free(words);
    return same;
}

}  // namespace

int main(int count, char** given) {
    file = count > 1 ? std::fopen(given[1], "rb") : nullptr;
    if (!file) {
        std::fprintf(stderr, "usage: native_replay CALLS [THREADS]\n");
        return 2;
    }
    const std::uint64_t threads = count > 2 ? std::strtoull(given[2], nullptr, 10) : 0;
    int differ = 0;
    for (std::uint64_t calls = number(); calls > 0; calls--) differ += !play(threads);
    std::printf("%d calls differ\n", differ);
    return differ != 0;
}
