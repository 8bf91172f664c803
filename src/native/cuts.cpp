// Smallest cuts by preflows: each node sends what it has too much of to nodes nearer to the sink,
// and what cannot come there back to the source. Then the nodes to which the source could send more
// are one side of the smallest cut, the smallest such side.
//
// Sources: Goldberg & Tarjan (1988), doi:10.1145/48014.61051; heights found anew again and again,
// Cherkassky & Goldberg (1997), doi:10.1007/PL00009180.
#include "checks.h"

namespace firebreak {
namespace {

// A preflow on its way. Arc k of a call is two arcs: 2 k along it and 2 k + 1 back.
class Preflow {
public:
    explicit Preflow(const CutSides& call) : call_(call), nodes_(call.kept.size()) {}

    void run() {
        list_arcs();
        for (i64 k = call_.first[call_.source]; k < call_.first[call_.source + 1]; k++) {
            const i64 arc = call_.arcs[k];
            push(arc, left()[arc]);
        }
        send_to(call_.sink, call_.source);
        send_to(call_.source, call_.sink);
        find_heights(0);
        for (i64 node = 0; node < nodes_; node++) call_.kept[node] = height()[node] < nodes_;
    }

private:
    i32* height() const { return call_.room[0].data; }
    i32* at() const { return call_.room[1].data; }  // the next arc of a node, after its first one
    i32* queue() const { return call_.room[2].data; }
    i32* is_waiting() const { return call_.room[3].data; }
    i32* left() const { return call_.left.data; }
    i64 end_of(i64 arc) const { return call_.ends.data[arc ^ 1]; }

    // Lists the arcs of each node, one node after the other.
    void list_arcs() {
        const i64 count = 2 * call_.ends.size();
        for (i64 arc = 0; arc < count; arc++) call_.first[call_.ends.data[arc] + 1]++;
        for (i64 node = 0; node < nodes_; node++) {
            call_.first[node + 1] += call_.first[node];
            at()[node] = 0;
        }
        for (i64 arc = 0; arc < count; arc++) {
            const i64 node = call_.ends.data[arc];
            call_.arcs[call_.first[node] + at()[node]++] = i32(arc);
        }
    }

    // Sends what nodes have too much of to one of source and sink, past the other, as far as it can.
    void send_to(i64 target, i64 other) {
        target_ = target, other_ = other;
        find_heights(1);
        while (waiting_ > 0) {
            discharge(next());
            if (4 * lifted_ >= nodes_) find_heights(1);
        }
    }

    void enqueue(i64 node) {
        if (is_waiting()[node] != 0 || node == target_ || height()[node] >= nodes_) return;
        is_waiting()[node] = 1;
        queue()[(begin_ + waiting_++) % nodes_] = i32(node);
    }
    i64 next() {
        const i64 node = queue()[begin_];
        begin_ = (begin_ + 1) % nodes_, waiting_--;
        is_waiting()[node] = 0;
        return node;
    }

    void push(i64 arc, i64 much) {
        left()[arc] -= i32(much), left()[arc ^ 1] += i32(much);
        call_.excess[call_.ends.data[arc]] -= much, call_.excess[end_of(arc)] += much;
    }

    // Heights are steps to the target over arcs with room, against (1) or along (0) the search, as
    // many as there are nodes where none lead there.
    void find_heights(i64 against) {
        lifted_ = begin_ = waiting_ = 0;
        for (i64 node = 0; node < nodes_; node++)
            height()[node] = i32(nodes_), at()[node] = is_waiting()[node] = 0;
        height()[target_] = 0;
        queue()[0] = i32(target_);
        for (i64 k = 0, found = 1; k < found; k++) {
            const i64 node = queue()[k];
            for (i64 place = call_.first[node]; place < call_.first[node + 1]; place++) {
                const i64 arc = call_.arcs[place], from = end_of(arc);
                if (left()[arc ^ against] == 0 || height()[from] < nodes_ || from == other_)
                    continue;
                height()[from] = height()[node] + 1;
                queue()[found++] = i32(from);
            }
        }
        for (i64 node = 0; node < nodes_; node++)
            if (call_.excess[node] > 0) enqueue(node);
    }

    void discharge(i64 node) {
        const i64 first = call_.first[node], count = call_.first[node + 1] - first;
        i64& excess = call_.excess[node];
        while (height()[node] < nodes_) {
            for (; at()[node] < count; at()[node]++) {
                const i64 arc = call_.arcs[first + at()[node]], to = end_of(arc);
                if (left()[arc] == 0 || height()[to] + 1 != height()[node]) continue;
                push(arc, smaller(excess, i64(left()[arc])));
                enqueue(to);
                if (excess == 0) return;
            }
            i64 least = nodes_;
            for (i64 k = first; k < first + count; k++) {
                const i64 arc = call_.arcs[k];
                if (left()[arc] > 0) least = smaller(least, i64(height()[end_of(arc)]) + 1);
            }
            height()[node] = i32(smaller(least, nodes_)), at()[node] = 0;
            lifted_++;
        }
    }

    const CutSides& call_;
    const i64 nodes_;
    i64 target_ = 0, other_ = 0, lifted_ = 0, begin_ = 0, waiting_ = 0;
};

}  // namespace

ENTRY(cut_sides, CutSides) {
    const i64 nodes = call.kept.size();
    if (call.first.size() != nodes + 1 || call.arcs.size() != 2 * call.ends.size())
        return "first, arcs: not as many as there are nodes and arcs";
    if (nodes > INT32_MAX || call.ends.size() > INT32_MAX / 2) return "ends: too many";
    if (call.source < 0 || call.source >= nodes || call.sink < 0 || call.sink >= nodes
        || call.source == call.sink)
        return "source, sink: out of range";
    if (!all_within<i32>(call.ends.flat(), 0, nodes)) return "ends: a node out of range";
    for (i64 k = 0; k < call.left.size(); k++)
        if (call.left(k, 0) < 0 || call.left(k, 1) != 0) return "left: out of range";
    for (i64 node = 0; node < nodes; node++) call.first[node] = call.excess[node] = 0;
    call.first[nodes] = 0;
    Preflow(call).run();
    return nullptr;
}

}  // namespace firebreak
