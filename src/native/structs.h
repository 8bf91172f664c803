// Written by scripts/native_headers.py; edit the Python that it names.
#pragma once
// Named tuples of arrays, and the arguments of each entry, as Python packs them.

#include "array.h"

namespace firebreak {

// Travel fields; R rows, one per weather step, of P padded cells.
struct Arcs {
    Array<const float, ANY, ANY, 5> metric;  // R P 5
    Array<const float, ANY, ANY, 8> unit_time;  // R P 8
    Array<const u64, ANY, ANY> facets;  // R P
    Array<const u32, ANY, ANY> accepts;  // R P
    Array<const u32, ANY, ANY> sends;  // R P
    Array<const float, ANY, ANY, 3> heat;  // R P 3 or none
    i64 steps;
    double step_min;
    Array<const double, ANY, ANY, 8> edges;  // R P 8 or none
    Array<const double, ANY> bucket_min;  // R or none
    Array<const u32, ANY, ANY> sends_far;  // R P or none
};

// Embers: the parts of `spotting.SpotField` in their order.
struct Spots {
    Array<const float, 4, ANY, ANY> cells;  // 4 R P or none
    Array<const float, 4, ANY> winds;  // 4 R or none
    double delay_min;
    double cell_size_m;
};

// What breaks do, under V overlays.
struct Rules {
    i64 leak;
    Array<const float, ANY, ANY> breach;  // ? P or none
    i64 rows_a_breach;
    Array<const double, ANY> class_limits;  // ?
    Array<const float, ANY, ANY> ready;  // V P or none
    Array<const double, 7> crew;  // 7
    Array<const i64, ANY> steps;  // V or none
};

// F fires: row of the travel field (the first of the stream), overlay, padded ignition cell,
// duration in minutes, key of the fire's random numbers.
struct FireTable {
    Array<const i64, ANY> row;  // F
    Array<const i64, ANY> overlay;  // F
    Array<const i64, ANY> source;  // F
    Array<const double, ANY> duration;  // F
    Array<const u64, ANY> key;  // F
};

// V break overlays: state (codes of `arcs`), and what burning costs in each of C classes of
// intensity; C is 1 where intensity does not matter.
struct Overlays {
    Array<const u8, ANY, ANY> state;  // V P
    Array<const float, ANY, ANY, ANY> value;  // V C P
};

// Where results go: the maps have rows for the first fires only, or none.
struct Results {
    Array<double, ANY, ANY> arrival;  // <=F P or none
    Array<u8, ANY, ANY> code;  // <=F P or none
    Array<double, ANY, ANY> downstream;  // <=F P or none
    Array<u8, ANY, ANY> classes;  // <=F P or none
    Array<double, ANY> loss;  // F
};

// Scratch memory of T threads, for maps of up to S padded cells.
struct Workspace {
    Array<float, ANY, ANY> time;  // T S
    Array<u8, ANY, ANY> code;  // T S
    Array<float, ANY, ANY> weight;  // T S
    Array<u8, ANY, ANY> status;  // T S
    Array<i32, ANY, ANY> order;  // T 2S
    Array<double, ANY, ANY> below;  // T S
    Array<u8, ANY, ANY> classes;  // T S
    Array<i32, ANY, ANY> thrower;  // T S
    Array<i32, ANY, ANY> stack;  // T S
    Array<u64, ANY, ANY> queue;  // T ?
    Array<u64, ANY, 36864> entry;  // T 36864
    Array<i32, ANY, 512> counts;  // T 512
    Array<u64, ANY, 8> occupied;  // T 8
    Array<u64, ANY, ANY> current;  // T ?
    Array<u64, ANY, 264> found;  // T 264
    Array<u64, ANY, 1152> tried;  // T 1152
    Array<float, ANY, 1152> late;  // T 1152
    Array<float, ANY, 1152> share;  // T 1152
    Array<u64, ANY, 8, 2> ends;  // T 8 2
    Array<float, ANY, 64> near_weight;  // T 64
    Array<i64, ANY, 64> stopped;  // T 64
};

// Sums over fires by thread, and how they are scaled.
struct Sums {
    Array<i32, ANY, ANY, ANY> burned;  // T D P or none
    Array<i64, ANY, ANY> below;  // T P or none
    Array<i64, ANY, ANY> arrival;  // T P or none
    Array<i32, ANY, ANY> stopped;  // T P or none
    double per_value;
    double per_minute;
};

// Burned cells in the order in which they burned, and their times, with rows for the first fires
// only, or none; burned: cells; latest: minutes.
struct Tracks {
    Array<i32, ANY, ANY> cell;  // <=F P or none
    Array<float, ANY, ANY> time;  // <=F P or none
    Array<i64, ANY> burned;  // F
    Array<double, ANY> latest;  // F
};

// Where the travel field is ready: N tiles of `side` x `side` cells, `across` in a row of tiles;
// no tiles where all of it is. requested: tiles that fires came near, by thread.
struct Tiles {
    Array<const u8, ANY> ready;  // N or none
    Array<u8, ANY, ANY> requested;  // T N or none
    i64 side;
    i64 across;
};

// Arcs that a break closes: child, offsets from the break of the cells that they lead into; steps,
// facets: the arcs into each as bits.
struct Crossing {
    Array<const i64, ANY> child;  // D
    Array<const u32, ANY> steps;  // D
    Array<const u64, ANY> facets;  // D
};

// Where breaks came or went since fires last burned: padded cells of each slot, and how many;
// revalued: burning costs something else in some of them.
struct ChangedCells {
    Array<i64, ANY, ANY> cells;  // V M
    Array<i64, ANY> how_many;  // V
    Array<bool, ANY> revalued;  // V
};

// What burning costs in V slots as whole numbers, in C classes of intensity, with `unit` of them
// in a loss of 1; share: coarser, for downstream value.
struct ValueUnits {
    Array<const i64, ANY, ANY, ANY> value_by_class;  // V C P
    Array<const double, ANY> unit;  // V
    Array<const i32, ANY, ANY, ANY> share;  // V C P
};

// Cells that solving a fire again has changed, by thread, and what they were. more: what cells
// that stand hand down more, 0 between fires.
struct Changes {
    Array<i32, ANY, ANY> cell;  // T P
    Array<float, ANY, ANY> time;  // T P
    Array<float, ANY, ANY> weight;  // T P
    Array<u8, ANY, ANY> code;  // T P
    Array<i64, ANY, 1> how_many;  // T 1
    Array<i32, ANY, ANY> more;  // T P
};

// F fires that keep burning, in V slots; the first K fires of the table are plan fires.
struct KeptFires {
    Array<float, ANY, ANY> time;  // F P
    Array<float, ANY, ANY> weight;  // F P
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

// Breaks to try in one slot, n of them in padded cells.
struct Candidates {
    Array<const i32, ANY> row;  // P or none
    i64 slot;
    i64 kind;
    Array<const i64, ANY, ANY> left;  // C P or none
};

// Cells that each arc crosses: cell, offset from the child; how_many of each arc.
struct Crossed {
    Array<const i64, 88, ANY> cell;  // 88 ?
    Array<const i64, 88> how_many;  // 88
};

// Sets `out` [M, 1 + D * L, H, W] of M maps, at the middle cell of each line that begins and ends
// in an available cell, meets none that stops it, and costs at most `most`; out is all False
// before.
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

// Writes `available` of one slot: treatable, unbroken, affordable.
struct RefreshAvailable {
    i64 slot;
    Array<const bool, ANY, ANY, ANY> treatable;  // V H W
    Array<const float, ANY, ANY, ANY> cost;  // V H W
    Array<const double, ANY> left;  // V
    Array<const bool, ANY, ANY, ANY> breaks;  // V H W
    Array<bool, ANY, ANY, ANY> available;  // V H W
};

// Breaks flat `cells` of the slots `which`, one after the other, those that are available when
// their turn comes.
struct PlaceBreaks {
    Array<const i64, ANY> which;  // B
    Array<const i64, ANY> cells;  // B
    Array<const u8, ANY> kinds;  // V
    Array<const bool, ANY, ANY, ANY> treatable;  // V H W
    Array<const float, ANY, ANY, ANY> cost;  // V H W
    Array<double, ANY> left;  // V
    Array<bool, ANY, ANY, ANY> breaks;  // V H W
    Array<bool, ANY, ANY, ANY> available;  // V H W
    Array<u8, ANY, ANY> states;  // V P
    Array<i64, ANY> places;  // B
};

// Writes the first four channels of `layers` of the slots `which`: burn probability, downstream
// value, breaks, available cells.
struct WriteCells {
    Array<const i64, ANY> which;  // B
    Array<const i64, ANY, ANY> burned;  // V P
    Array<const i64, ANY, ANY> below;  // V P
    Array<const double, ANY> unit;  // V
    Array<const i64, ANY> fires;  // V
    Array<const double, ANY> usual;  // V
    Array<const bool, ANY, ANY, ANY> free;  // V H W
    Array<const bool, ANY, ANY, ANY> breaks;  // V H W
    Array<const bool, ANY, ANY, ANY> available;  // V H W
    Array<double, ANY> best;  // V
    Array<u8, ANY, ANY, ANY, ANY> layers;  // V ? H W
};

// Sets the number of each (key, cell, draw), in [0, 1) on a grid of 2^-53; all arithmetic is
// modulo 2^64.
struct FillUniform {
    Array<const u64, ANY> key;  // N
    Array<const u64, ANY> cell;  // N
    Array<const u64, ANY> draw;  // N
    Array<double, ANY> out;  // N
};

// Fills `ground`: how much longer a path up the slope is than on the map, and where upslope is,
// east and north. Sets `odd` to the number of cells whose slope or aspect is nan or out of range.
struct FillGround {
    Array<const double, ANY, ANY> slope_tan;  // H W
    Array<const double, ANY, ANY> aspect_deg;  // H W
    Array<double, 3, ANY, ANY> ground;  // 3 H W
    Array<i64, 1> odd;  // 1
};

// Fills metric, unit_time and rate of padded maps of this width; what does not burn, and the
// padding, is left alone but for its rate. Sets `odd` to the number of cells in which a number of
// the ellipse is nan or out of its range.
struct FillMetric {
    i64 threads;
    Array<const double, ANY, ANY, ANY> head;  // R H W
    Array<const double, ANY, ANY, ANY> back;  // R H W
    Array<const double, ANY, ANY, ANY> flank;  // R H W
    Array<const double, ANY, ANY, ANY> heading_deg;  // R H W
    Array<const double, 3, ANY, ANY> ground;  // 3 H W
    Array<const bool, ANY, ANY> burnable;  // H W
    double cell_size_m;
    i64 width;
    Array<float, ANY, ANY, 5> metric;  // R P 5
    Array<float, ANY, ANY, 8> unit_time;  // R P 8
    Array<float, ANY, ANY> rate;  // R P
    Array<i64, 1> odd;  // 1
};

// Sets what is open at the cells listed, none of them in the padding, seen from the receiving
// cell: bits of the open facets and single steps. rate: of the head.
struct OpenArcs {
    i64 threads;
    Array<const i64, ANY> cells;  // N
    Array<const float, ANY, ANY, 5> metric;  // R P 5
    Array<const float, ANY, ANY> rate;  // R P
    Array<const u8, ANY> burnable;  // P
    i64 width;
    Array<u64, ANY, ANY> facets;  // R P
    Array<u32, ANY, ANY> accepts;  // R P
};

// Sets bit i of sends[r, p]: a burnable cell is reached from p by its step i or a facet that ends
// there; of sends_far[r, p]: by a step or a facet that is not a unit one. For the cells listed,
// none of them in the padding.
struct ReverseArcs {
    i64 threads;
    Array<const i64, ANY> cells;  // N
    i64 width;
    Array<const u64, ANY, ANY> facets;  // R P
    Array<const u32, ANY, ANY> accepts;  // R P
    Array<u32, ANY, ANY> sends;  // R P
    Array<u32, ANY, ANY> sends_far;  // R P
};

// Sets edges of the cells listed, none of them in the padding: minutes to each neighbour in the
// order of LANES, half at either cell's speed; inf where closed.
struct JoinEdges {
    i64 threads;
    Array<const i64, ANY> cells;  // N
    Array<const float, ANY, ANY, 8> unit_time;  // R P 8
    Array<const u8, ANY> burnable;  // P
    i64 width;
    Array<const u32, ANY, ANY> accepts;  // R P
    Array<double, ANY, ANY, 8> edges;  // R P 8
};

// Sets bucket_min: a length of bucket, minutes, at which about ten cells of a front burn a bucket;
// `share` mean times from cell to cell, by some hundred cells of edges.
struct SetBucketLengths {
    Array<const double, ANY, ANY, 8> edges;  // R P 8
    double share;
    Array<double, ANY> bucket_min;  // R
};

// Turns heat, whose slopes are set, into intensity over speed of one row, in place.
struct HeatPerSpeed {
    Array<const float, ANY, 5> metric;  // P 5
    Array<float, ANY, 3> heat;  // P 3
    Array<const double, ANY> intensity_kw_m;  // P
};

// Writes the codes of `arcs` around a burnable cell whose break came or went. breaks: as they are
// now, all of one kind.
struct WriteBreak {
    i64 row;
    i64 col;
    i64 kind;
    Array<const bool, ANY, ANY> breaks;  // H W
    Array<u8, ANY> state;  // P
};

// Burns the fires listed in `which`, in parallel, into `results`.
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

// Burns the fires listed in `which`, in parallel, into sums, tracks and loss; state says which
// were added.
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

// Sets out[fire] = 1 for each fire that may change when the padded `cell` becomes a break.
struct DependsOn {
    i64 cell;
    Array<const i64, ANY> sources;  // F
    Array<const u8, ANY, ANY> codes;  // F P
    Crossing crossing;
    Array<u8, ANY> out;  // F
};

// Sets out[fire] = 1 for each fire that burned a cell within `reach` of the padded `cell`; what
// lies beyond the padded map counts as unburned.
struct BurnedNear {
    i64 cell;
    i64 reach;
    i64 width;
    Array<const u8, ANY, ANY> codes;  // F P
    Array<u8, ANY> out;  // F
};

// Notes that a break came or went in a padded cell. Where no more can be noted, the fires that are
// stale by now are no longer kept: they burn anew as a whole. plan_fires, reward_fires: of each
// slot.
struct ListChange {
    i64 slot;
    i64 place;
    i64 plan_fires;
    i64 reward_fires;
    ChangedCells changed_cells;
    Array<bool, ANY> kept;  // F
    Array<const u8, ANY> stale;  // F
};

// Notes that padded cells `places` of `slots` became breaks: sets stale[fire] as `depends_on`
// does, and counts affected[fire] up where a fire burned within REACH of a cell: no other fire can
// depend on it.
struct BreaksAffect {
    Array<const i64, ANY> slots;  // B
    Array<const i64, ANY> places;  // B
    i64 width;
    i64 plan_fires;
    i64 reward_fires;
    Array<const i64, ANY> sources;  // F
    Array<const u8, ANY, ANY> codes;  // F P
    Crossing crossing;
    ChangedCells changed_cells;
    Array<bool, ANY> kept;  // F
    Array<u8, ANY> stale;  // F
    Array<i64, ANY> affected;  // F
};

// Burns the fires listed in `which` again, in parallel; fires that keep nothing burn anew.
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

// Tries each candidate on each of the kept plan fires listed in `which`, in parallel.
struct TryBreaks {
    i64 threads;
    Array<const i64, ANY> which;  // N
    i64 width;
    Candidates candidates;
    Arcs arcs;
    Rules rules;
    FireTable fires;
    Overlays overlays;
    ValueUnits values;
    Crossing crossing;
    Crossed crossed;
    Changes changes;
    Array<u8, ANY, ANY> states;  // T P
    KeptFires store;
    Workspace scratch;
    Array<i64, ANY, ANY> out;  // N B
    Array<u8, ANY> beyond;  // N
};

// Tries lines of breaks on each of the kept plan fires listed in `which`, in parallel.
struct TryLines {
    i64 threads;
    Array<const i64, ANY> which;  // N
    i64 width;
    Array<const i64, ANY> cells;  // ?
    Array<const i64, ANY> first;  // ?
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
};

// Sets `chosen` for those of n lines, best first, that a round places: the very first, and further
// ones at least `spacing` (Chebyshev) from those before, up to `max_cells` cells.
struct ChooseSpaced {
    Array<const i64, ANY> cells;  // ?
    Array<const i64, ANY> first;  // ?
    i64 max_cells;
    i64 spacing;
    Array<bool, ANY, ANY> near;  // H W
    Array<i64, 1> count;  // 1
    Array<bool, ANY> chosen;  // N
};

// Scores the lines from each start in one direction, for each length.
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
    Array<double, ANY, ANY> gain;  // S L
    Array<double, ANY, ANY> price;  // S L
};

// Lays the cheapest paths along bands, column by column, to every place of their last columns.
struct LayPaths {
    Array<const double, ANY, ANY> price;  // M R
    Array<const i64, ANY, ANY> first;  // N M
    i64 joined;
    Array<double, ANY, ANY> best;  // N K
    Array<double, 2, ANY> settled;  // 2 K
    Array<i32, ANY, ANY, ANY> entered;  // N M K
    Array<i32, ANY, ANY, ANY> came;  // N M K
};

// Sets `count` to how many steps the path to a place of the last column has, and the last ones of
// `steps`, (column, place) in order, where they have room. entered, came: of its band, see
// `lay_paths`.
struct PathSteps {
    i64 place;
    Array<const i32, ANY, ANY> entered;  // M K
    Array<const i32, ANY, ANY> came;  // M K
    Array<i64, ANY, 2> steps;  // ? 2
    Array<i64, 1> count;  // 1
};

// Adds to `total`: over all paths that end in a cell or lead on through it, from any cell above
// it, the value of the cell where they end. ints, seen (zeros), reals: scratch.
struct PathCounts {
    Array<const u8, ANY, ANY> codes;  // F P
    Array<const double, ANY> value;  // P
    Array<const i64, 32> offset;  // 32
    Array<i32, 2, ANY> ints;  // 2 P
    Array<u8, ANY> seen;  // P
    Array<double, 2, ANY> reals;  // 2 P
    Array<double, ANY> total;  // P
};

// Adds to `through` the value burned below each cell, and to `along` the part that came over each
// step to the parent.
struct Flows {
    Array<const u8, ANY, ANY> codes;  // F P
    Array<const double, ANY> value;  // P
    Array<const i64, 32> offset;  // 32
    Array<i32, 2, ANY> ints;  // 2 P
    Array<u8, ANY> seen;  // P
    Array<double, ANY> below;  // P
    Array<double, ANY> through;  // P
    Array<double, 32, ANY> along;  // 32 P
};

// Adds to `out`, zeros before, each shape's map at the cells of its line actions, one cell of the
// line after the other; cells beyond the map count as 0.
struct AddAlong {
    Array<const float, ANY, ANY, ANY, ANY> maps;  // M S H W
    Array<const i64, ANY, 2> steps;  // ? 2
    Array<const i64, ANY> first;  // ?
    Array<float, ANY, ANY, ANY, ANY> out;  // M S H W
};

// Sets the weight of the second end at the best point of each facet, below 0 where that is an end.
struct ProbeFacetWeights {
    Array<const float, ANY, 5> metric;  // P 5
    Array<const i64, ANY> child;  // N
    Array<const i64, ANY> facet;  // N
    Array<const float, ANY> time_a;  // N
    Array<const float, ANY> time_b;  // N
    Array<double, ANY> out;  // N
};

// Sets when fire arrives along each arc that it takes at `start`, in the stream that begins in row
// 0.
struct ProbeArrivals {
    Arcs arcs;
    Array<const i64, 32> offset;  // 32
    Array<const double, ANY> start;  // N
    Array<const i64, ANY> child;  // N
    Array<const i64, ANY> code;  // N
    Array<const double, ANY> weight;  // N
    Array<double, ANY> out;  // N
};

// Sets the fireline intensity where fire came into each cell, kW/m.
struct ProbeIntensities {
    Arcs arcs;
    Array<const i64, ANY> row;  // N
    Array<const i64, ANY> cell;  // N
    Array<const i64, ANY> code;  // N
    Array<const double, ANY> weight;  // N
    Array<double, ANY> out;  // N
};

// Sets the chance that the initial attack contains each fire.
struct ProbeContainment {
    Array<const double, ANY> area_ha;  // N
    Array<const double, ANY> intensity_kw_m;  // N
    Array<double, ANY> out;  // N
};

// Sets row, column and metres flown of each cell's brand, -1, -1, 0 for none.
struct ProbeLandings {
    Array<const u64, ANY> key;  // N
    Array<const i64, ANY, 3> cell;  // N 3
    i64 rows;
    i64 cols;
    double cell_size_m;
    Array<const double, 6> flight;  // 6
    Array<double, ANY, 3> out;  // N 3
};

// Sets 1 for each cell whose brand ignites what it lands on.
struct ProbeIgnitions {
    Array<const u64, ANY> key;  // N
    Array<const i64, ANY> cell;  // N
    double probability;
    Array<u8, ANY> out;  // N
};

// Sets what each cell gets from its neighbours. bits: those that send, and those shut off; found:
// bits of its children, of the unit facets on which its ellipse is not acute, of the neighbours
// that burn before and after it, and the word of the best arc; weight: of its facets.
struct ProbeNeighbors {
    i64 width;
    Array<const i64, ANY> cells;  // N
    Array<const u8, ANY> code;  // P
    Array<const float, ANY, 5> metric;  // P 5
    Array<const double, ANY, 8> edges;  // P 8
    Array<const float, ANY> time;  // P
    Array<const u64, ANY, 2> bits;  // N 2
    Array<u64, ANY, 5> found;  // N 5
    Array<float, ANY, 8> weight;  // N 8
};

// Sets distinct words below 2^63 in order, the last 8 words of which are larger than all others
// and have room only.
struct ProbeOrder {
    Array<const u64, ANY> words;  // N
    Array<u64, ANY> out;  // N
};

}  // namespace firebreak
