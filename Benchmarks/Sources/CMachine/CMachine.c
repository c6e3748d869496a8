#if defined(__linux__)
// For the processors of a thread.
#define _GNU_SOURCE
#include <malloc.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "CMachine.h"

size_t allocated_bytes(void) {
#if defined(__GLIBC__)
    struct mallinfo2 state = mallinfo2();
    return state.uordblks + state.hblkhd;
#else
    return 0;
#endif
}

void stay_on_processor(int number) {
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (int processor = 0; processor < CPU_SETSIZE; processor++) {
        if (!CPU_ISSET(processor, &allowed)) continue;
        if (number-- > 0) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(processor, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
#else
    (void)number;
#endif
}

void barrier_of_process(void) {
#if defined(__linux__) && defined(SYS_membarrier)
    // `PRIVATE_EXPEDITED`, which older headers lack. The library has registered the process.
    syscall(SYS_membarrier, 1 << 3, 0, 0);
#endif
}
