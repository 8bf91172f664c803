// Written by scripts/native_headers.py; edit the Python that it names.
#pragma once
// Named tuples of arrays, and the arguments of each entry, as Python packs them. What a part
// means is said by the Python tuple or function of the same name.

#include "array.h"

namespace firebreak {

struct Arcs {
    Array<const float, ANY, ANY, 5> metric;  // R P 5
    Array<const float, ANY, ANY, 8> unit_time;  // R P 8
    Array<const u64, ANY, ANY> facets;  // R P
    Array<const u32, ANY, ANY> accepts, sends;  // R P
    Array<const float, ANY, ANY, 3> heat;  // R P 3 or none
    i64 steps;
    double step_min;
    Array<const double, ANY, ANY, 8> edges;  // R P 8 or none
    Array<const double, ANY> bucket_min;  // R or none
    Array<const u32, ANY, ANY> sends_far;  // R P or none
};

struct Spots {
    Array<const float, 5, ANY, ANY> cells;  // 5 R P or none
    Array<const float, 4, ANY> winds;  // 4 R or none
    double delay_min, cell_size_m;
};

struct Rules {
    i64 leak;
    Array<const float, ANY, ANY> breach;  // ? P or none
    i64 rows_a_breach;
    Array<const double, ANY> class_limits;  // ?
    Array<const float, ANY, ANY> ready;  // V P or none
    Array<const double, 7> crew;  // 7
    Array<const i64, ANY> steps;  // V or none
};

struct FireTable {
    Array<const i64, ANY> row, overlay, source;  // F
    Array<const double, ANY> duration;  // F
    Array<const u64, ANY> key;  // F
    Array<const i64, ANY> weight;  // F
    Array<const i64, ANY, ANY> later_row;  // F L
    Array<const double, ANY, ANY> begin, pause;  // F L
};

struct Overlays {
    Array<const u8, ANY, ANY> state;  // V P
    Array<const float, ANY, ANY, ANY> value;  // V C P
};

struct Results {
    Array<double, ANY, ANY> arrival;  // <=F P or none
    Array<u8, ANY, ANY> code;  // <=F P or none
    Array<double, ANY, ANY> downstream;  // <=F P or none
    Array<u8, ANY, ANY> classes;  // <=F P or none
    Array<double, ANY> loss;  // F
};

struct Workspace {
    Array<float, ANY, ANY> time;  // T S
    Array<u8, ANY, ANY> code;  // T S
    Array<float, ANY, ANY> weight;  // T S
    Array<u8, ANY, ANY> status;  // T S
    Array<i32, ANY, ANY> order;  // T 2S
    Array<double, ANY, ANY> below;  // T S
    Array<u8, ANY, ANY> classes;  // T S
    Array<i32, ANY, ANY> thrower, stack;  // T S
    Array<u64, ANY, ANY> queue, current;  // T Q
    Array<u64, ANY, 39744> front;  // T 39744
};

struct Sums {
    Array<i64, ANY, ANY, ANY> burned;  // T D P or none
    Array<i64, ANY, ANY> below, arrival, stopped;  // T P or none
    double per_value, per_minute;
};

struct Tracks {
    Array<i32, ANY, ANY> cell;  // <=F P or none
    Array<float, ANY, ANY> time;  // <=F P or none
    Array<i64, ANY> burned;  // F
    Array<double, ANY> latest;  // F
};

struct Tiles {
    Array<const u8, ANY> ready;  // N or none
    Array<u8, ANY, ANY> requested;  // T N or none
    i64 side, across;
};

struct Crossing {
    Array<const i64, ANY> child;  // D
    Array<const u32, ANY> steps;  // D
    Array<const u64, ANY> facets;  // D
};

struct ChangedCells {
    Array<i64, ANY, ANY> cells;  // V M
    Array<i64, ANY> how_many;  // V
    Array<bool, ANY> revalued;  // V
};

struct ValueUnits {
    Array<const i64, ANY, ANY, ANY> value_by_class;  // V C P
    Array<const double, ANY> unit;  // V
    Array<const i32, ANY, ANY, ANY> share;  // V C P
};

struct Changes {
    Array<i32, ANY, ANY> cell;  // T P
    Array<float, ANY, ANY> time, weight;  // T P
    Array<u8, ANY, ANY> code;  // T P
    Array<i64, ANY, 1> how_many;  // T 1
    Array<i32, ANY, ANY> more;  // T P
};

struct KeptFires {
    Array<float, ANY, ANY> time, weight;  // F P
    Array<u8, ANY, ANY> code;  // F P
    Array<bool, ANY> kept;  // F
    Array<i64, ANY> lost;  // F
    Array<double, ANY> loss;  // F
    Array<i32, ANY, ANY> order;  // K P or none
    Array<i32, ANY> size;  // K or none
    Array<i32, ANY, ANY> below;  // K P or none
    Array<i32, ANY, ANY, ANY> burned;  // T V P or none
    Array<i64, ANY, ANY, ANY> downstream;  // T V P or none
};

struct Candidates {
    i64 slot, kind;
    Array<const i64, ANY, ANY> left;  // C P or none
};

struct AllowLines {
    Array<const u8, ANY, ANY, ANY> state;  // M H W
    Array<const bool, ANY, ANY, ANY> available;  // M H W
    Array<const double, ANY, ANY, ANY> cost;  // M H W
    Array<const double, ANY> most;  // M
    Array<const i64, ANY, ANY, 2> steps;  // D N 2
    Array<const i64, ANY> lengths;  // L
    Array<const i64, ANY> period;  // D
    Array<u8, ANY, ANY> clear;  // H W
    Array<bool, ANY, ANY, ANY, ANY> out;  // M ? H W
};

struct PlaceBreaks {
    Array<const i64, ANY> which, cells;  // B
    Array<const u8, ANY> kinds;  // V
    Array<const bool, ANY, ANY, ANY> treatable;  // V H W
    Array<const float, ANY, ANY, ANY> cost;  // V H W
    Array<double, ANY> left;  // V
    Array<bool, ANY, ANY, ANY> breaks, available;  // V H W
    Array<u8, ANY, ANY> states;  // V P
    Array<i64, ANY> places;  // B
};

struct WriteCells {
    Array<const i64, ANY> which;  // B
    Array<const i64, ANY, ANY> burned, below;  // V P
    Array<const double, ANY> unit;  // V
    Array<const i64, ANY> fires;  // V
    Array<const double, ANY> usual;  // V
    Array<const bool, ANY, ANY, ANY> free, breaks, available;  // V H W
    Array<double, ANY> best;  // V
    Array<u8, ANY, ANY, ANY, ANY> layers;  // V ? H W
};

struct FillGround {
    Array<const double, ANY, ANY> slope_tan, aspect_deg;  // H W
    Array<double, 3, ANY, ANY> ground;  // 3 H W
    Array<i64, 1> odd;  // 1
};

struct FillMetric {
    i64 threads;
    Array<const double, ANY, ANY, ANY> head, back, flank, heading_deg;  // R H W
    Array<const double, 3, ANY, ANY> ground;  // 3 H W
    Array<const bool, ANY, ANY> burnable;  // H W
    double cell_size_m;
    i64 width;
    Array<float, ANY, ANY, 5> metric;  // R P 5
    Array<float, ANY, ANY, 8> unit_time;  // R P 8
    Array<float, ANY, ANY> rate;  // R P
    Array<i64, 1> odd;  // 1
};

struct OpenArcs {
    i64 threads;
    Array<const i64, ANY> cells;  // N
    Array<const i64, ANY> senders;  // M
    i64 width, steps;
    Array<const float, ANY, ANY, 5> metric;  // R P 5
    Array<const float, ANY, ANY, 8> unit_time;  // R P 8
    Array<const float, ANY, ANY> rate;  // R P
    Array<const bool, ANY> burnable;  // P
    Array<u64, ANY, ANY> facets;  // R P
    Array<u32, ANY, ANY> accepts, sends, sends_far;  // R P
    Array<double, ANY, ANY, 8> edges;  // R P 8 or none
};

struct HeatPerSpeed {
    Array<const float, ANY, 5> metric;  // P 5
    Array<float, ANY, 3> heat;  // P 3
    Array<const double, ANY> intensity_kw_m;  // P
};

struct WriteBreaks {
    Array<const i64, ANY> cells;  // N
    i64 broken, kind;
    Array<bool, ANY, ANY> breaks;  // H W
    Array<u8, ANY> state;  // P
};

struct BurnMany {
    i64 threads;
    Array<const i64, ANY> which;  // M
    i64 width;
    Arcs arcs;
    Spots spots;
    Rules rules;
    FireTable fires;
    Overlays overlays;
    Results results;
    Workspace scratch;
};

struct SumMany {
    i64 threads;
    Array<const i64, ANY> which;  // M
    i64 width;
    Arcs arcs;
    Spots spots;
    Rules rules;
    FireTable fires;
    Overlays overlays;
    Sums sums;
    Tracks tracks;
    Tiles tiles;
    Array<u8, ANY> state;  // F
    Array<double, ANY> loss;  // F
    Workspace scratch;
};

struct DependsOn {
    i64 cell;
    Array<const i64, ANY> sources;  // F
    Array<const u8, ANY, ANY> codes;  // F P
    Crossing crossing;
    Array<u8, ANY> out;  // F
};

struct ListChange {
    i64 slot, place, plan_fires, reward_fires;
    ChangedCells changed_cells;
    Array<bool, ANY> kept;  // F
    Array<const u8, ANY> stale;  // F
};

struct BreaksAffect {
    Array<const i64, ANY> slots, places;  // B
    i64 width, plan_fires, reward_fires;
    Array<const i64, ANY> sources;  // F
    Array<const u8, ANY, ANY> codes;  // F P
    Crossing crossing;
    ChangedCells changed_cells;
    Array<bool, ANY> kept;  // F
    Array<u8, ANY> stale;  // F
    Array<i64, ANY> affected;  // F
};

struct ReburnMany {
    i64 threads;
    Array<const i64, ANY> which;  // N
    i64 width;
    Arcs arcs;
    Spots spots;
    Rules rules;
    FireTable fires;
    Overlays overlays;
    ChangedCells changed_cells;
    Crossing crossing;
    ValueUnits values;
    Changes changes;
    KeptFires store;
    Workspace scratch;
};

struct TryLines {
    i64 threads;
    Array<const i64, ANY> which;  // N
    i64 width;
    Array<const i64, ANY> cells, first;  // ?
    Candidates candidates;
    Arcs arcs;
    Rules rules;
    FireTable fires;
    Overlays overlays;
    ValueUnits values;
    Crossing crossing;
    Changes changes;
    Array<u8, ANY, ANY> states;  // T P
    KeptFires store;
    Workspace scratch;
    Array<i64, ANY, ANY> out;  // N B
    Array<bool, ANY> beyond;  // N
};

struct ChooseSpaced {
    Array<const i64, ANY> cells, first;  // ?
    i64 max_cells, spacing;
    Array<bool, ANY, ANY> near;  // H W
    Array<i64, 1> count;  // 1
    Array<bool, ANY> chosen;  // N
};

struct ScoreLines {
    Array<const i64, ANY> starts;  // S
    Array<const i64, ANY, 2> steps;  // M 2
    Array<const i64, ANY> lengths;  // L
    Array<const u8, ANY> state;  // P
    Array<const double, ANY> cost;  // P
    double max_price;
    Array<const double, ANY> through;  // P
    Array<const double, 32, ANY> along;  // 32 P
    Array<const i64, 7, 7> step_index;  // 7 7
    Array<const i64, ANY> offset;  // M
    Array<double, ANY, ANY> gain, price;  // S L
};

struct LayPaths {
    Array<const double, ANY, ANY> price;  // M R
    Array<const i64, ANY, ANY> first;  // N M
    i64 joined;
    Array<double, ANY, ANY> best;  // N K
    Array<double, 2, ANY> settled;  // 2 K
    Array<i32, ANY, ANY, ANY> entered, came;  // N M K
};

struct PathSteps {
    i64 place;
    Array<const i32, ANY, ANY> entered, came;  // M K
    Array<i64, ANY, 2> steps;  // ? 2
    Array<i64, 1> count;  // 1
};

struct PathCounts {
    Array<const u8, ANY, ANY> codes;  // F P
    Array<const double, ANY> weight;  // F
    Array<const double, ANY> value;  // P
    Array<const i64, 32> offset;  // 32
    Array<i32, 2, ANY> ints;  // 2 P
    Array<u8, ANY> seen;  // P
    Array<double, 2, ANY> reals;  // 2 P
    Array<double, ANY> total;  // P
};

struct Flows {
    Array<const u8, ANY, ANY> codes;  // F P
    Array<const double, ANY> weight;  // F
    Array<const double, ANY> value;  // P
    Array<const i64, 32> offset;  // 32
    Array<i32, 2, ANY> ints;  // 2 P
    Array<u8, ANY> seen;  // P
    Array<double, ANY> below, through;  // P
    Array<double, 32, ANY> along;  // 32 P
};

struct ValueBehind {
    Array<const u8, ANY, ANY> codes;  // F P
    Array<const double, ANY> weight;  // F
    Array<const double, ANY> value;  // P
    Array<const i64, 32> offset;  // 32
    Array<i32, 2, ANY> ints;  // 2 P
    Array<u8, ANY> seen;  // P
    Array<const i64, ANY> cells, first;  // ?
    Array<u64, ANY> marks;  // P
    Array<double, ANY, ANY> out;  // F B
};

struct CutSides {
    Array<const i32, ANY, 2> ends;  // A 2
    Array<i32, ANY, 2> left;  // A 2
    i64 source, sink;
    Array<i64, ANY> first;  // ?
    Array<i32, ANY> arcs;  // ?
    Array<i64, ANY> excess;  // N
    Array<i32, 4, ANY> room;  // 4 N
    Array<bool, ANY> kept;  // N
};

struct AddAlong {
    Array<const float, ANY, ANY, ANY, ANY> maps;  // M S H W
    Array<const i64, ANY, 2> steps;  // ? 2
    Array<const i64, ANY> first;  // ?
    Array<float, ANY, ANY, ANY, ANY> out;  // M S H W
};

}  // namespace firebreak
