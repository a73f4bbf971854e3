/* The counting loop of games/perft.py for 6 rows x 7 columns, four in a row: a yardstick for the
   compiled Python. Same bits, same order, same shortcut at the last ply. */
#include <stdint.h>

#define BOTTOM UINT64_C(0x0000040810204081)
#define BOARD (BOTTOM * UINT64_C(0x3f))

static int has_line(uint64_t stones) {
    static const int steps[4] = {1, 7, 8, 6};
    for (int i = 0; i < 4; i++) {
        uint64_t runs = stones & (stones >> steps[i]);
        if (runs & (runs >> (2 * steps[i]))) return 1;
    }
    return 0;
}

uint64_t count_sequences(uint64_t stones, uint64_t mask, int depth) {
    uint64_t free = ((mask << 1) | BOTTOM) & BOARD & ~mask;
    if (depth == 1) return (uint64_t)__builtin_popcountll(free);
    uint64_t total = 0;
    while (free) {
        uint64_t stone = free & -free;
        free ^= stone;
        if (!has_line(stones | stone)) total += count_sequences(mask ^ stones, mask | stone, depth - 1);
    }
    return total;
}
