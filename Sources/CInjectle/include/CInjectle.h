// The few things Swift cannot say on every platform this library supports: atomic access to a word in raw memory,
// a thread-local, whether a thread is the main one, and a grace period for readers that write nothing shared.

#ifndef CINJECTLE_H
#define CINJECTLE_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Atomic words

/// Reads a pointer; what was written before it was published is visible afterwards.
static inline void *_Nullable injectle_load(void *_Nullable const *_Nonnull word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/// Publishes a pointer: what was written before is visible to whoever loads it.
static inline void injectle_store(void *_Nullable *_Nonnull word, void *_Nullable value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/// Reads a number; what was written before it was published is visible afterwards.
static inline uintptr_t injectle_load_number(const uintptr_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/// Publishes a number: what was written before is visible to whoever loads it.
static inline void injectle_store_number(uintptr_t *word, uintptr_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

// MARK: Threads

/// What the library knows of one thread. A record is made at a thread's first read, kept in a list that only grows, and
/// handed to another thread when its own ends.
typedef struct injectle_thread {
    /// Odd while the thread is inside a read. Written by its own thread only.
    uintptr_t section;
    /// The innermost making in progress on the thread. Touched by its own thread only.
    void *_Nullable frame;
    /// Whether readers must order their announcement themselves, because no process-wide barrier can be had.
    uint32_t needs_fence;
    /// Whether this is the main thread.
    uint32_t is_main;
    /// The part of the thread's stack in which no further making should begin: its last quarter.
    uintptr_t stack_end, stack_reserve;
    struct injectle_thread *_Nullable next;
    uintptr_t is_taken;
} injectle_thread;

/// The calling thread's record, or null before its first use. Defined in CInjectle.c, so that there is one per thread
/// and not one per thread and module.
extern _Thread_local injectle_thread *_Nullable injectle_this_thread;

/// Gives the calling thread a record.
injectle_thread *injectle_adopt_thread(void);

/// The calling thread's record.
static inline injectle_thread *injectle_thread_current(void) {
    injectle_thread *thread = injectle_this_thread;
    return __builtin_expect(thread != 0, 1) ? thread : injectle_adopt_thread();
}

/// Whether the calling thread has come to the last quarter of its stack.
static inline bool injectle_stack_is_short(void) {
    const injectle_thread *thread = injectle_thread_current();
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here >= thread->stack_end && here < thread->stack_reserve;
}

// MARK: Reads that take no lock
//
// Invariant: an object that readers can reach is freed only after (1) it was made unreachable and (2) every thread that
// was inside a read at that moment has left it.
//
// A reader announces itself by a plain store to its own cache line. That store must not be delayed past the loads that
// follow. Ordering it would cost a fence at each read, so the writer, which is rare, pays for both: `membarrier` makes
// each running thread of the process pass a full barrier. After it, a reader either has its announcement visible here or
// sees what the writer has published. Where the kernel has no such call, readers fence.
//
// The scheme is that of user-space read-copy-update: Desnoyers, McKenney, Stern, Dagenais, Walpole, "User-Level
// Implementations of Read-Copy Update", IEEE Transactions on Parallel and Distributed Systems 23(2), 2012.

/// Keeps the compiler from moving anything that touches memory from one side to the other: a retain that was moved out of
/// a read would come too late.
static inline void injectle_compiler_barrier(void) {
    __asm__ volatile("" ::: "memory");
}

/// Begins a read. Between this and `injectle_leave` no code of a user runs, nothing is released, and no read begins.
static inline injectle_thread *injectle_enter(void) {
    injectle_thread *thread = injectle_thread_current();
    __atomic_store_n(&thread->section, thread->section + 1, __ATOMIC_RELAXED);
    if (__builtin_expect(thread->needs_fence != 0, 0)) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
    injectle_compiler_barrier();
    return thread;
}

/// Ends a read.
static inline void injectle_leave(injectle_thread *thread) {
    injectle_compiler_barrier();
    __atomic_store_n(&thread->section, thread->section + 1, __ATOMIC_RELEASE);
}

/// Returns once every read that was under way has ended. Must not be called inside a read.
void injectle_synchronize(void);

// MARK: The shared locator
//
// One word says where a property looks that belongs to no locator: bit 0 is set once a locator beside the default one
// exists, so that a task may have an override; the rest counts the changes between the default and the test locator.

extern uintptr_t injectle_ambient_word;

static inline uintptr_t injectle_ambient(void) {
    return __atomic_load_n(&injectle_ambient_word, __ATOMIC_ACQUIRE);
}

/// Notes that from now on a task may have an override.
static inline void injectle_ambient_allow_overrides(void) {
    if ((injectle_ambient() & 1) == 0) __atomic_fetch_or(&injectle_ambient_word, 1, __ATOMIC_SEQ_CST);
}

extern void *_Nullable injectle_shared_core;

/// The core of the shared locator, or null before it was first asked for. It is never freed.
static inline void *_Nullable injectle_shared(void) {
    return __atomic_load_n(&injectle_shared_core, __ATOMIC_ACQUIRE);
}

/// Makes another locator the shared one.
static inline void injectle_share(void *core) {
    __atomic_store_n(&injectle_shared_core, core, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&injectle_ambient_word, 2, __ATOMIC_SEQ_CST);
}

#pragma clang assume_nonnull end

#endif
