// Partitions sparse grids with METIS, Scotch and Zoltan, as peers of this project's methods.
//
//   partitioners METHOD RANKS FRAME.cells ...
//
// METHOD is metis-kway, metis-recursive, scotch, scotch-remap, rcb or hsfc. The files are the frames
// of one case in order; `cargo bench --bench partitioners -- export` writes them: the width of a
// cell (double, m), the number of cells (uint64), three int32 a cell, rising by z, then y, then x.
// Cells that share a face, an edge or a corner are neighbours in the graph.
//
// For each frame it writes FRAME.METHOD.parts: processor time of the graph and of the method (two
// doubles, s), and an int32 a cell. `cargo bench --bench partitioners -- judge` reads these.
//
// METIS gets the options of src/partition/methods/metis.rs. Scotch may differ from the equal share by
// 1 %. `scotch-remap` also gets the partition of the frame before, and a cell that moves costs as
// much as a cut edge. Zoltan numbers its parts after those of the frame before (its REMAP), and RCB
// begins with its last cuts (RCB_REUSE).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include <metis.h>
#include <mpi.h>
#include <scotch.h>
#include <zoltan.h>

namespace {

struct Cell {
    int32_t x, y, z;
};

bool operator<(const Cell& a, const Cell& b) {
    return a.z != b.z ? a.z < b.z : a.y != b.y ? a.y < b.y : a.x < b.x;
}

[[noreturn]] void fail(const std::string& text) {
    std::fprintf(stderr, "partitioners: %s\n", text.c_str());
    std::exit(1);
}

double processor_s() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

struct Frame {
    double spacing_m = 0.0;
    std::vector<Cell> cells;
    /// The graph in compressed rows; empty for methods that use positions.
    std::vector<int32_t> offsets, neighbours;
    /// The parts of the frame before, extended to these cells; empty in the first frame.
    std::vector<int32_t> before;
};

Frame read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    Frame frame;
    uint64_t count = 0;
    file.read(reinterpret_cast<char*>(&frame.spacing_m), sizeof frame.spacing_m);
    file.read(reinterpret_cast<char*>(&count), sizeof count);
    if (!file || count > INT32_MAX / 27) fail("cannot read " + path);
    frame.cells.resize(count);
    file.read(reinterpret_cast<char*>(frame.cells.data()), std::streamsize(count * sizeof(Cell)));
    if (!file) fail(path + " ends too early");
    return frame;
}

void write(const std::string& path, double graph_s, double method_s, const std::vector<int32_t>& parts) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&graph_s), sizeof graph_s);
    file.write(reinterpret_cast<const char*>(&method_s), sizeof method_s);
    file.write(reinterpret_cast<const char*>(parts.data()), std::streamsize(parts.size() * sizeof(int32_t)));
    if (!file) fail("cannot write " + path);
}

/// The 26 neighbours of each cell. Nine rows of cells are around each cell; all are sorted, so a cursor
/// runs along each.
void build_graph(Frame& frame) {
    const auto& cells = frame.cells;
    const auto count = int32_t(cells.size());
    std::vector<int32_t> cursors(9, 0);
    frame.offsets.assign(1, 0);
    for (int32_t i = 0; i < count; ++i) {
        for (int row = 0; row < 9; ++row) {
            const Cell first{cells[i].x - 1, cells[i].y + row % 3 - 1, cells[i].z + row / 3 - 1};
            const Cell last{first.x + 2, first.y, first.z};
            int32_t& cursor = cursors[row];
            while (cursor < count && cells[cursor] < first) ++cursor;
            for (int32_t j = cursor; j < count && !(last < cells[j]); ++j) {
                if (j != i) frame.neighbours.push_back(j);
            }
        }
        frame.offsets.push_back(int32_t(frame.neighbours.size()));
    }
}

/// The parts of the frame before: those of the same cell, else of the part with the nearest centre.
void extend(const Frame& old, const std::vector<int32_t>& parts, int ranks, Frame& frame) {
    std::vector<double> centres(4 * size_t(ranks), 0.0);
    for (size_t i = 0; i < parts.size(); ++i) {
        double* centre = &centres[4 * size_t(parts[i])];
        centre[0] += old.cells[i].x, centre[1] += old.cells[i].y, centre[2] += old.cells[i].z;
        centre[3] += 1.0;
    }
    for (int r = 0; r < ranks; ++r) {
        for (int axis = 0; axis < 3; ++axis) centres[4 * r + axis] /= std::max(centres[4 * r + 3], 1.0);
    }
    frame.before.clear();
    for (const Cell& cell : frame.cells) {
        const auto at = std::lower_bound(old.cells.begin(), old.cells.end(), cell);
        if (at != old.cells.end() && !(cell < *at)) {
            frame.before.push_back(parts[size_t(at - old.cells.begin())]);
            continue;
        }
        double best = INFINITY;
        int32_t nearest = 0;
        for (int32_t r = 0; r < ranks; ++r) {
            const double* c = &centres[4 * size_t(r)];
            const double distance = std::hypot(cell.x - c[0], cell.y - c[1], cell.z - c[2]);
            if (distance < best) best = distance, nearest = r;
        }
        frame.before.push_back(nearest);
    }
}

std::vector<int32_t> metis(Frame& frame, int ranks, bool recursive) {
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NCUTS] = 4;
    idx_t count = idx_t(frame.cells.size()), constraints = 1, parts = ranks, cut = 0;
    std::vector<int32_t> part(frame.cells.size());
    static_assert(sizeof(idx_t) == sizeof(int32_t), "METIS with 32-bit numbers");
    auto* method = recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway;
    const int status = method(&count, &constraints, frame.offsets.data(), frame.neighbours.data(), nullptr,
                              nullptr, nullptr, &parts, nullptr, nullptr, options, &cut, part.data());
    if (status != METIS_OK) fail("METIS refused the graph");
    return part;
}

std::vector<int32_t> scotch(Frame& frame, int ranks, bool remap) {
    static_assert(sizeof(SCOTCH_Num) == sizeof(int32_t), "Scotch with 32-bit numbers");
    SCOTCH_randomReset();
    SCOTCH_Graph graph;
    SCOTCH_Strat strategy;
    SCOTCH_graphInit(&graph);
    SCOTCH_stratInit(&strategy);
    const auto count = SCOTCH_Num(frame.cells.size());
    const auto edges = SCOTCH_Num(frame.neighbours.size());
    int status = SCOTCH_graphBuild(&graph, 0, count, frame.offsets.data(), nullptr, nullptr, nullptr, edges,
                                   frame.neighbours.data(), nullptr);
    status |= SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATDEFAULT, ranks, 0.01);
    std::vector<int32_t> part(frame.cells.size());
    if (remap && !frame.before.empty()) {
        SCOTCH_Arch machine;
        SCOTCH_archInit(&machine);
        status |= SCOTCH_archCmplt(&machine, ranks);
        status |= SCOTCH_graphRemap(&graph, &machine, frame.before.data(), 1.0, nullptr, &strategy, part.data());
        SCOTCH_archExit(&machine);
    } else {
        status |= SCOTCH_graphPart(&graph, ranks, &strategy, part.data());
    }
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphExit(&graph);
    if (status != 0) fail("Scotch refused the graph");
    return part;
}

// Zoltan asks for the cells.
int cell_count(void* data, int* error) {
    *error = ZOLTAN_OK;
    return int(static_cast<Frame*>(data)->cells.size());
}

void cell_names(void* data, int, int, ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR, int, float*, int* error) {
    const auto count = ZOLTAN_ID_TYPE(static_cast<Frame*>(data)->cells.size());
    for (ZOLTAN_ID_TYPE i = 0; i < count; ++i) global[i] = i;
    *error = ZOLTAN_OK;
}

int dimensions(void*, int* error) {
    *error = ZOLTAN_OK;
    return 3;
}

void places(void* data, int, int, int count, ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR, int, double* x, int* error) {
    const auto* frame = static_cast<Frame*>(data);
    for (int i = 0; i < count; ++i) {
        const Cell& cell = frame->cells[global[i]];
        x[3 * i] = (cell.x + 0.5) * frame->spacing_m;
        x[3 * i + 1] = (cell.y + 0.5) * frame->spacing_m;
        x[3 * i + 2] = (cell.z + 0.5) * frame->spacing_m;
    }
    *error = ZOLTAN_OK;
}

void old_parts(void* data, int, int, int count, ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR, int* part, int* error) {
    const auto* frame = static_cast<Frame*>(data);
    for (int i = 0; i < count; ++i) part[i] = frame->before.empty() ? 0 : frame->before[global[i]];
    *error = ZOLTAN_OK;
}

class Zoltan {
  public:
    Zoltan(const std::string& method, int ranks) : zoltan(Zoltan_Create(MPI_COMM_WORLD)) {
        set("LB_METHOD", method == "rcb" ? "RCB" : "HSFC");
        set("NUM_GLOBAL_PARTS", std::to_string(ranks));
        set("RETURN_LISTS", "PART ASSIGNMENT");
        set("IMBALANCE_TOL", "1.01");
        set("DEBUG_LEVEL", "0");
        set("NUM_LID_ENTRIES", "0");
        set("REMAP", "1");
        set("KEEP_CUTS", "1");
        if (method == "rcb") set("RCB_REUSE", "1");
        Zoltan_Set_Num_Obj_Fn(zoltan, cell_count, &frame);
        Zoltan_Set_Obj_List_Fn(zoltan, cell_names, &frame);
        Zoltan_Set_Num_Geom_Fn(zoltan, dimensions, nullptr);
        Zoltan_Set_Geom_Multi_Fn(zoltan, places, &frame);
        Zoltan_Set_Part_Multi_Fn(zoltan, old_parts, &frame);
    }
    ~Zoltan() { Zoltan_Destroy(&zoltan); }
    Zoltan(const Zoltan&) = delete;
    Zoltan& operator=(const Zoltan&) = delete;

    void set_frame(const Frame& next) { frame = next; }

    std::vector<int32_t> partition() {
        int changes = 0, globals = 0, locals = 0, imports = 0, exports = 0;
        ZOLTAN_ID_PTR import_global = nullptr, import_local = nullptr, global = nullptr, local = nullptr;
        int *import_procs = nullptr, *import_parts = nullptr, *procs = nullptr, *to = nullptr;
        const int status = Zoltan_LB_Partition(zoltan, &changes, &globals, &locals, &imports, &import_global,
                                               &import_local, &import_procs, &import_parts, &exports, &global,
                                               &local, &procs, &to);
        if (status != ZOLTAN_OK) fail("Zoltan refused the cells");
        std::vector<int32_t> part(frame.cells.size(), 0);
        for (int i = 0; i < exports; ++i) part[global[i]] = to[i];
        Zoltan_LB_Free_Part(&import_global, &import_local, &import_procs, &import_parts);
        Zoltan_LB_Free_Part(&global, &local, &procs, &to);
        return part;
    }

  private:
    void set(const char* name, const std::string& value) {
        if (Zoltan_Set_Param(zoltan, name, value.c_str()) != ZOLTAN_OK) fail(std::string("Zoltan has no ") + name);
    }
    Zoltan_Struct* zoltan;
    Frame frame;
};

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc < 4) fail("METHOD RANKS FRAME.cells ...");
    const std::string method = argv[1];
    const int ranks = std::atoi(argv[2]);
    const bool geometric = method == "rcb" || method == "hsfc";
    if (ranks < 1) fail("ask for at least one rank");
    float version = 0.0F;
    if (Zoltan_Initialize(argc, argv, &version) != ZOLTAN_OK) fail("Zoltan does not start");
    {
        Zoltan zoltan(geometric ? method : "hsfc", ranks);
        Frame old;
        std::vector<int32_t> parts;
        for (int i = 3; i < argc; ++i) {
            const std::string path = argv[i];
            Frame frame = read(path);
            if (i > 3) extend(old, parts, ranks, frame);
            if (geometric) zoltan.set_frame(frame);
            const double start = processor_s();
            if (!geometric) build_graph(frame);
            const double built = processor_s();
            if (geometric) {
                parts = zoltan.partition();
            } else if (method == "scotch" || method == "scotch-remap") {
                parts = scotch(frame, ranks, method == "scotch-remap");
            } else if (method == "metis-kway" || method == "metis-recursive") {
                parts = metis(frame, ranks, method == "metis-recursive");
            } else {
                fail("no method " + method);
            }
            write(path + "." + method + ".parts", built - start, processor_s() - built, parts);
            old = std::move(frame);
        }
    }
    MPI_Finalize();
    return 0;
}
