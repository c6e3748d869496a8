#ifndef CMACHINE_H
#define CMACHINE_H

#include <stddef.h>

/// The bytes that are allocated in this process at this moment, or 0 where the GNU C library is missing.
///
/// Large blocks count as well, which the allocator maps one by one: tables are such blocks.
size_t allocated_bytes(void);

/// Keeps the calling thread on one of the processors that the process may use, counted from 0. Does nothing if there
/// are not so many, or where this cannot be said.
void stay_on_processor(int number);

/// Makes each running thread of the process pass a barrier, as a writer of the library does. Does nothing where the system
/// has no such call.
void barrier_of_process(void);

#endif
