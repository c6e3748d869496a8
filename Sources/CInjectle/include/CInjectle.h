// What Swift does not offer on every supported platform: atomic access to a word in raw memory, thread-local records,
// whether a thread is the main one, and grace periods for readers that write no shared memory.

#ifndef CINJECTLE_H
#define CINJECTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#pragma clang assume_nonnull begin

// MARK: Atomic words

/// Loads a pointer with acquire ordering.
static inline void *_Nullable injectle_load(void *_Nullable const *_Nonnull word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/// Stores a pointer with release ordering.
static inline void injectle_store(void *_Nullable *_Nonnull word, void *_Nullable value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/// Loads a number with acquire ordering.
static inline uintptr_t injectle_load_number(const uintptr_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/// Stores a number with release ordering.
static inline void injectle_store_number(uintptr_t *word, uintptr_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/// Loads a truth value with acquire ordering.
static inline bool injectle_load_flag(const bool *flag) {
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

/// Stores a truth value with release ordering.
static inline void injectle_store_flag(bool *flag, bool value) {
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

/// Adds to a number.
static inline void injectle_add_number(uintptr_t *word, intptr_t change) {
    __atomic_fetch_add(word, (uintptr_t)change, __ATOMIC_ACQ_REL);
}

// MARK: Memory
//
// `UnsafeMutablePointer.allocate` always names an alignment, for which some systems take twice as long.

/// Allocates uninitialized memory.
static inline void *injectle_allocate(size_t count, size_t alignment) {
    void *memory = NULL;
    if (alignment <= _Alignof(max_align_t)) {
        memory = malloc(count > 0 ? count : 1);
    } else if (posix_memalign(&memory, alignment, count) != 0) {
        abort();
    }
    if (__builtin_expect(memory == NULL, 0)) abort();
    return memory;
}

/// Frees memory that `injectle_allocate` has allocated.
static inline void injectle_free(void *memory) {
    free(memory);
}

// MARK: Threads

/// The low bits of a `section`: how deep its read sections are nested. A thread's stack ends long before they overflow.
enum { INJECTLE_DEPTH_BITS = sizeof(uintptr_t) > 4 ? 0xFFFFFF : 0xFFFF };

/// The library's record of one thread. It is allocated at the first read of the thread, and in the list of threads until
/// the thread ends. Then another thread reuses it: a record is never freed.
typedef struct injectle_thread {
    /// The number of the thread's outermost read section, above INJECTLE_DEPTH_BITS with the number of sections that the
    /// thread is inside of. Only its own thread writes it. The number increases, also when another thread reuses the record.
    /// Where words have 32 bits, it begins again after 65,536 sections, which can delay a release, but never advance it.
    uintptr_t section;
    /// The frame of the innermost creation in progress. Only its own thread uses it.
    void *_Nullable frame;
    /// Whether the thread orders its announcements by fences, because writers use no process-wide barrier.
    uint32_t needs_fence;
    /// Whether it is the main thread.
    bool is_main;
    /// The number by which the system, debuggers and tracers know the thread.
    uint64_t number;
    /// The end of the thread's stack, in which no further creation starts.
    uintptr_t stack_end, stack_reserve;
    /// The neighbors in the list of threads, or the next unused record. Changed under the lock of the list.
    struct injectle_thread *_Nullable next, *_Nullable previous;
    /// Whether each section since the last one without a fence has begun with a fence. Only its own thread writes it, and
    /// `injectle_use_fences`, which has a barrier.
    uint32_t has_fenced;
    /// The position of the record in the order of allocation. No two threads that run at the same time have the same.
    uint32_t index;
    /// Whether the thread runs a behavior, whose actions send no events. Only its own thread uses it.
    bool in_behavior;
} injectle_thread;

/// The calling thread's record, or null before its first use. Defined in CInjectle.c, so that there is one per thread
/// and not one per thread and module.
extern _Thread_local injectle_thread *_Nullable injectle_this_thread;

/// Gives the calling thread a record.
injectle_thread *injectle_register_thread(void);

/// The calling thread's record.
static inline injectle_thread *injectle_thread_current(void) {
    injectle_thread *thread = injectle_this_thread;
    return __builtin_expect(thread != 0, 1) ? thread : injectle_register_thread();
}

/// The number of processors, which is also the number of threads in the cooperative pool.
long injectle_processor_count(void);

/// Whether the calling thread, whose record is passed, has too little of its stack left for another creation.
static inline bool injectle_stack_is_short(const injectle_thread *thread) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here >= thread->stack_end && here < thread->stack_reserve;
}

// MARK: Read sections
//
// Invariant: an object that readers can reach is freed only after (1) a writer made it unreachable and (2) each thread
// that was inside a read section at that moment has left it.
//
// A reader announces itself by a plain store to its own cache line, which must not be delayed past the loads that follow.
// Ordering it would cost a fence at each read, so the rare writer pays for both: `membarrier` makes each running thread of
// the process pass a full barrier. After it, either the writer sees the announcement of a reader, or the reader sees the
// change of the writer. Where the kernel has no such call, or while writes follow each other closely, readers fence.
//
// A writer never waits for a reader. It notes which threads are inside which section, and the objects that it retired are
// freed by a later writer that finds these sections left.
//
// The scheme is user-space read-copy-update: Desnoyers, McKenney, Stern, Dagenais, Walpole, "User-Level
// Implementations of Read-Copy Update", IEEE Transactions on Parallel and Distributed Systems 23(2), 2012. Its
// `call_rcu` also defers a release instead of waiting.

/// Keeps the compiler from moving memory accesses across it: a retain that moved out of a read section would come too
/// late.
static inline void injectle_compiler_barrier(void) {
    __asm__ volatile("" ::: "memory");
}

/// Begins a read section of the calling thread. Code inside it releases nothing and calls no user code. But the compiler,
/// which inlines sections into functions of users, may move the release of one of their objects into it, whose `deinit` can
/// read and write. So sections nest, and a thread has left one when it has left the outermost.
static inline void injectle_enter_on(injectle_thread *thread) {
    __atomic_store_n(&thread->section, thread->section + 1, __ATOMIC_RELAXED);
    if (__builtin_expect(__atomic_load_n(&thread->needs_fence, __ATOMIC_RELAXED) != 0, 0)) {
        __atomic_store_n(&thread->has_fenced, 1, __ATOMIC_RELEASE);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
    injectle_compiler_barrier();
}

/// The same, where the thread is not known yet.
static inline injectle_thread *injectle_enter(void) {
    injectle_thread *thread = injectle_thread_current();
    injectle_enter_on(thread);
    return thread;
}

/// Ends a read section.
static inline void injectle_leave(injectle_thread *thread) {
    injectle_compiler_barrier();
    // The outermost section has depth 1, so this is depth 0 of the next number.
    uintptr_t section = thread->section + INJECTLE_DEPTH_BITS;
    if (__builtin_expect((section & INJECTLE_DEPTH_BITS) != 0, 0)) section -= INJECTLE_DEPTH_BITS + 1;
    __atomic_store_n(&thread->section, section, __ATOMIC_RELEASE);
}

/// A thread that may use what a writer has made unreachable, and the section that it is inside of.
typedef struct {
    injectle_thread *thread;
    /// A `section` that is not 0. Or 0 for a thread that may be inside any section, because the process-wide barrier failed.
    uintptr_t section;
} injectle_reader;

/// Whether the thread has left the section. It stays so.
static inline bool injectle_has_left(injectle_reader reader) {
    if (__builtin_expect(reader.section == 0, 0)) {
        return __atomic_load_n(&reader.thread->has_fenced, __ATOMIC_ACQUIRE) != 0;
    }
    uintptr_t section = __atomic_load_n(&reader.thread->section, __ATOMIC_ACQUIRE);
    return ((section ^ reader.section) & ~(uintptr_t)INJECTLE_DEPTH_BITS) != 0;
}

/// Makes each running thread of the process pass a full barrier, or, where readers fence, the calling thread.
void injectle_process_barrier(void);

/// Locks the list of threads that have a record, and returns its first element. While it is locked, threads neither enter
/// nor leave the list. Code that runs meanwhile must be short, run no user code and begin no read section.
injectle_thread *_Nullable injectle_lock_threads(void);

void injectle_unlock_threads(void);

/// Whether a thread of the list may use objects that were unlinked before the last process-wide barrier. If so, sets the
/// section of an `injectle_reader`.
bool injectle_is_reading(injectle_thread *thread, uintptr_t *section);

/// Makes readers fence, as where the kernel has no `membarrier`, or not, where it has: beside many writes, and in tests,
/// which run both ways on one machine.
void injectle_use_fences(bool use_fences);

/// Makes each later process-wide barrier fail, or not. For tests.
void injectle_fail_barriers(bool fail);

// MARK: Time

/// The time of the continuous clock, which also runs while the system sleeps, in nanoseconds since some moment.
int64_t injectle_time(void);

// MARK: Standard error

/// Writes a text to standard error.
void injectle_print_error(const char *text);

// MARK: Creations in tasks

/// The number of creations in progress whose frame is a task-local.
extern uintptr_t injectle_task_creations;

/// Whether such a creation is in progress. Code that runs as part of one sees its own count.
static inline bool injectle_has_task_creations(void) {
    return __builtin_expect(__atomic_load_n(&injectle_task_creations, __ATOMIC_RELAXED) != 0, 0);
}

/// Counts a creation that begins or ends.
static inline void injectle_count_task_creation(bool begins) {
    __atomic_fetch_add(&injectle_task_creations, begins ? 1 : (uintptr_t)-1, __ATOMIC_RELAXED);
}

// MARK: The layout of metadata

extern uintptr_t injectle_metadata_word;

/// Whether the first words of metadata are what the library expects, as a number that is 0 until that is known.
static inline uintptr_t injectle_metadata_answer(void) {
    return __atomic_load_n(&injectle_metadata_word, __ATOMIC_RELAXED);
}

static inline void injectle_note_metadata_answer(uintptr_t answer) {
    __atomic_store_n(&injectle_metadata_word, answer, __ATOMIC_RELAXED);
}

// MARK: The shared locator
//
// One word is the stamp of a property's look-up: bit 0 is set before the task-local of overrides exists, so that a task can
// have an override; the other bits count the changes between the default and the test locator.

extern uintptr_t injectle_lookup_word;

static inline uintptr_t injectle_lookup_stamp(void) {
    return __atomic_load_n(&injectle_lookup_word, __ATOMIC_ACQUIRE);
}

/// Whether a task can have an override.
static inline bool injectle_allows_overrides(void) {
    return (injectle_lookup_stamp() & 1) != 0;
}

/// Allows overrides from now on, which are looked up in the public way at first. Called once.
void injectle_allow_overrides(void);

extern void *_Nullable injectle_shared_head;

/// The header of the shared locator's core, or null before its first use. It is never freed.
static inline void *_Nullable injectle_shared(void) {
    return __atomic_load_n(&injectle_shared_head, __ATOMIC_ACQUIRE);
}

/// Notes the locator that is the shared one as long as there is no note, unless there is one now. No stamp changes by that.
static inline void injectle_share_first(void *head) {
    void *none = (void *)0;
    __atomic_compare_exchange_n(&injectle_shared_head, &none, head, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/// Replaces the shared locator.
static inline void injectle_share(void *head) {
    __atomic_store_n(&injectle_shared_head, head, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&injectle_lookup_word, 2, __ATOMIC_SEQ_CST);
}

// MARK: The override of a task

// Every access to a task-local calls this function, which is a stable part of the runtime's interface, but documented
// nowhere. The public way returns the value retained, which costs more than the rest of a read. So the library compares
// the two at the first look-up, and where they differ, it looks overrides up in the public way.
__attribute__((swiftcall)) extern void *_Nullable swift_task_localValueGet(const void *key);

/// The object that the task-local with a key is bound to where this is called, without a retain, or null where it is not
/// bound. A binding outlives the calls that are made inside of it.
static inline void *_Nullable injectle_task_local(const void *_Nullable key) {
    void *_Nullable const *_Nullable value = (void *_Nullable const *)swift_task_localValueGet(key);
    return value ? *value : (void *)0;
}

/// The key of the task-local of overrides, or null before the first look-up. Never changed afterwards.
extern const void *_Nullable injectle_override_key;

/// The same while overrides are looked up by it; null while they are looked up in the public way.
extern const void *_Nullable injectle_lookup_key;

/// Whether no look-up has chosen its way yet.
static inline bool injectle_has_to_choose_overrides(void) {
    return __atomic_load_n(&injectle_override_key, __ATOMIC_RELAXED) == 0;
}

/// The object that the task-local of overrides is bound to. Valid where a stamp was valid.
static inline void *_Nullable injectle_override(void) {
    return injectle_task_local(__atomic_load_n(&injectle_override_key, __ATOMIC_RELAXED));
}

/// The key to look overrides up by, or null if they are looked up in the public way. No stamp is valid then, so that each
/// read that depends on the override looks it up.
static inline const void *_Nullable injectle_key_of_overrides(void) {
    return __atomic_load_n(&injectle_lookup_key, __ATOMIC_ACQUIRE);
}

/// Chooses the way in which overrides are looked up, and makes all stamps invalid.
void injectle_use_public_overrides(bool use_public);

/// The same, for the first time, with the key of the task-local.
void injectle_choose_overrides(const void *key, bool use_public);

// MARK: The current executor

/// A serial executor, as the Swift runtime passes it: the addresses of its object and of the witness table of that, which
/// has flags in its low bits.
typedef struct {
    uintptr_t object;
    uintptr_t witnesses;
} injectle_executor;

/// The executor of the job that the thread runs, without an object if that is none in particular, or if there is no job.
///
/// It is exported since the first runtime with actors, as a builtin function of the compiler needs it, but documented
/// nowhere. The public ways to ask end the process if the answer is no, or need a runtime of 2025.
__attribute__((swiftcall)) extern injectle_executor swift_task_getCurrentExecutor(void);

#pragma clang assume_nonnull end

#endif
