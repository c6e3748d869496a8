// The few things Swift cannot say on every platform this library supports: atomic access to a word in raw memory,
// a thread-local, whether a thread is the main one, and a grace period for readers that write nothing shared.

#ifndef CINJECTLE_H
#define CINJECTLE_H

#include <stdbool.h>
#include <stddef.h>
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

/// Whether so many bytes are the same.
static inline bool injectle_are_same(const void *_Nullable left, const void *_Nullable right, intptr_t count) {
    return count == 0 || __builtin_memcmp(left, right, (size_t)count) == 0;
}

// MARK: Threads

/// What a thread can be.
enum { INJECTLE_ANY_THREAD = 1, INJECTLE_MAIN_THREAD = 2 };

/// How many objects a thread can hold at a time.
enum { INJECTLE_HOLDS = 24 };

/// What the library knows of one thread. A record is made at a thread's first read, kept in a list that only grows, and
/// handed to another thread when its own ends.
typedef struct injectle_thread {
    /// Odd while the thread is inside a read. Written by its own thread only.
    uintptr_t section;
    /// The innermost making in progress on the thread. Touched by its own thread only.
    void *_Nullable frame;
    /// How many of `held` are in use. Touched by its own thread only.
    uintptr_t held_count;
    /// One more than the place of the last object it holds that waits to be freed, or 0. Written by who throws
    /// something away, under a lock of theirs.
    uintptr_t left_over;
    /// Whether the thread orders its announcements by fences, because writers use no process-wide barrier. Loaded as a
    /// plain word, which costs an instruction less: only tests change it once the thread runs.
    uint32_t needs_fence;
    /// What the thread is: any thread, and perhaps the main one.
    uint32_t kinds;
    /// The part of the thread's stack in which no further making should begin: its last quarter.
    uintptr_t stack_end, stack_reserve;
    struct injectle_thread *_Nullable next;
    uintptr_t is_taken;
    /// Whether the thread is telling a behavior of something. Touched by its own thread only.
    uintptr_t is_telling;
    /// What the thread keeps from being freed without a count. Written by its own thread only.
    void *_Nullable held[INJECTLE_HOLDS];
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

/// The number by which the system, debuggers and tracers know the calling thread.
uint64_t injectle_thread_number(void);

/// Whether the calling thread, whose record is given, has come to the last quarter of its stack.
static inline bool injectle_stack_is_short(const injectle_thread *thread) {
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
// each running thread of the process pass a full barrier. After it, a reader either has its announcement visible here
// or sees what the writer has published. Where the kernel has no such call, readers fence.
//
// The scheme is that of user-space read-copy-update: Desnoyers, McKenney, Stern, Dagenais, Walpole, "User-Level
// Implementations of Read-Copy Update", IEEE Transactions on Parallel and Distributed Systems 23(2), 2012.

/// Keeps the compiler from moving anything that touches memory from one side to the other: a retain that was moved out
/// of a read would come too late.
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

/// Returns once every read section in progress has ended. Must not be called inside a read section.
void injectle_synchronize(void);

/// Makes readers fence, as where the kernel has no `membarrier`, or not, where it has. For tests, which run both ways on
/// one machine.
void injectle_use_fences(bool use_fences);

// MARK: Holding what was found in a read
//
// Invariant: an object that a thread began to hold inside a read stays allocated until it is released, in the reverse
// order of holding. In between, code of a user may run.
//
// Retaining would write to what all threads share. A holder writes the address to its own record instead, before it
// leaves the read; a writer that has unlinked an object, and has waited for the reads that were under way, finds it
// there. What it finds it must leave: it puts it on a list, notes in the holder's record at which place it was found,
// and looks again behind a process-wide barrier. So either the writer sees that the holder has let go meanwhile, or the
// holder, which looks at its record after letting go, sees that there is something to free. Threads that hold nothing
// of it notice nothing.
//
// These are the hazard pointers of Michael, "Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects", IEEE
// Transactions on Parallel and Distributed Systems 15(6), 2004, announced under the protection of a read instead of by
// a fence and a second look.

/// Whether the thread can hold one more.
static inline bool injectle_can_hold(const injectle_thread *thread) {
    return thread->held_count < INJECTLE_HOLDS;
}

/// Begins to hold an object, inside the read that found it.
static inline void injectle_hold(injectle_thread *thread, void *object) {
    __atomic_store_n(&thread->held[thread->held_count++], object, __ATOMIC_RELAXED);
}

/// Lets go of what was held last. Returns whether that waits to be freed.
static inline bool injectle_let_go(injectle_thread *thread) {
    __atomic_store_n(&thread->held[--thread->held_count], (void *)0, __ATOMIC_RELEASE);
    if (__builtin_expect(thread->needs_fence != 0, 0)) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
    injectle_compiler_barrier();
    return __builtin_expect(thread->held_count < __atomic_load_n(&thread->left_over, __ATOMIC_RELAXED), 0);
}

/// Whether any thread holds anything that was unlinked before the last `injectle_synchronize`.
bool injectle_is_anything_held(void);

/// Whether any thread holds an object that was unlinked before the last `injectle_synchronize`. With `is_left_over`,
/// notes in the records of those that do that it waits to be freed.
bool injectle_is_held(const void *object, bool is_left_over);

/// Forgets what is noted in the calling thread's record.
void injectle_forget_left_over(void);

/// Lets every holder see what was noted, or be seen to have let go.
void injectle_process_barrier(void);

// MARK: Telling what nobody can be told otherwise

/// Writes a text to standard error.
void injectle_complain(const char *text);

// MARK: Makings in tasks

/// How many makings are in progress that a task-local leads to.
extern uintptr_t injectle_makings_in_tasks;

/// Whether there are any. Code that is part of one sees that, since it came after its beginning.
static inline bool injectle_is_made_in_tasks(void) {
    return __builtin_expect(__atomic_load_n(&injectle_makings_in_tasks, __ATOMIC_RELAXED) != 0, 0);
}

/// Notes that one begins or has ended.
static inline void injectle_makes_in_task(bool begins) {
    __atomic_fetch_add(&injectle_makings_in_tasks, begins ? 1 : (uintptr_t)-1, __ATOMIC_RELAXED);
}

// MARK: The shared locator
//
// One word says where a property looks that belongs to no locator: bit 0 is set once a locator beside the default one
// exists, so that a task may have an override; the rest counts the changes between the default and the test locator.

extern uintptr_t injectle_ambient_word;

static inline uintptr_t injectle_ambient(void) {
    return __atomic_load_n(&injectle_ambient_word, __ATOMIC_ACQUIRE);
}

/// Whether a task may have an override.
static inline bool injectle_ambient_allows_overrides(void) {
    return (injectle_ambient() & 1) != 0;
}

/// Allows overrides from now on, by the task-local with a key.
void injectle_ambient_allow_overrides(const void *key);

extern void *_Nullable injectle_shared_head;

/// The head of the shared locator's core, or null before it was first asked for. It is never freed.
static inline void *_Nullable injectle_shared(void) {
    return __atomic_load_n(&injectle_shared_head, __ATOMIC_ACQUIRE);
}

/// Makes another locator the shared one.
static inline void injectle_share(void *head) {
    __atomic_store_n(&injectle_shared_head, head, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&injectle_ambient_word, 2, __ATOMIC_SEQ_CST);
}

// MARK: The override of a task

// Every access to a task-local calls this function, which is a stable part of the runtime's interface, but documented
// nowhere. The public way returns the value retained, which costs more than the rest of a read. So the library compares
// the two once, and where they differ, it looks overrides up in the public way.
__attribute__((swiftcall)) extern void *_Nullable swift_task_localValueGet(const void *key);

/// The object that the task-local with a key is bound to where this is called, without a retain, or null where it is not
/// bound. A binding outlives the calls that are made inside of it.
static inline void *_Nullable injectle_task_local(const void *_Nullable key) {
    void *_Nullable const *_Nullable value = (void *_Nullable const *)swift_task_localValueGet(key);
    return value ? *value : (void *)0;
}

extern const void *_Nullable injectle_override_key;

/// The object that the task-local of overrides is bound to. Only once a task may have an override.
static inline void *_Nullable injectle_override(void) {
    return injectle_task_local(__atomic_load_n(&injectle_override_key, __ATOMIC_RELAXED));
}

extern uintptr_t injectle_public_overrides;

/// Whether overrides are looked up in the public way. No stamp is valid then, so that each read that depends on the
/// override looks it up.
static inline bool injectle_uses_public_overrides(void) {
    return __builtin_expect(__atomic_load_n(&injectle_public_overrides, __ATOMIC_ACQUIRE) != 0, 0);
}

/// Chooses the way in which overrides are looked up, and makes all stamps invalid.
void injectle_use_public_overrides(bool use_public);

#pragma clang assume_nonnull end

#endif
