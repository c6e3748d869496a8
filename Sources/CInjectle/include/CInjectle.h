// What Swift does not offer on every supported platform: a lock of one word that is part of an object, atomic words, the
// state of the calling thread, and the executor of the current job.

#ifndef CINJECTLE_H
#define CINJECTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__APPLE__)
#include <os/lock.h>
#endif

#pragma clang assume_nonnull begin

// MARK: Lock

#if defined(__APPLE__)
typedef struct {
    os_unfair_lock platform;
} injectle_lock;

static inline void injectle_acquire(injectle_lock *lock) { os_unfair_lock_lock(&lock->platform); }
static inline void injectle_release(injectle_lock *lock) { os_unfair_lock_unlock(&lock->platform); }
#else
/// 0: free; 1: held; 2: held, and a thread may wait for it (Drepper, "Futexes Are Tricky").
typedef struct {
    uint32_t word;
} injectle_lock;

void injectle_acquire_contended(injectle_lock *lock);
void injectle_wake_one(injectle_lock *lock);

static inline void injectle_acquire(injectle_lock *lock) {
    uint32_t expected = 0;
    bool is_acquired =
        __atomic_compare_exchange_n(&lock->word, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    if (__builtin_expect(!is_acquired, 0)) injectle_acquire_contended(lock);
}

static inline void injectle_release(injectle_lock *lock) {
    if (__builtin_expect(__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) == 2, 0)) injectle_wake_one(lock);
}
#endif

// MARK: Atomic words

static inline uintptr_t injectle_load(const uintptr_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static inline void injectle_store(uintptr_t *word, uintptr_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

/// Returns the new value.
static inline uintptr_t injectle_add(uintptr_t *word, intptr_t change) {
    return __atomic_add_fetch(word, (uintptr_t)change, __ATOMIC_ACQ_REL);
}

/// The position of the latest instance in the order of creation.
extern uintptr_t injectle_last_order;

static inline uintptr_t injectle_next_order(void) { return injectle_add(&injectle_last_order, 1); }

/// The number of bindings of the library's task-local variables in progress: async creations, and endings in a task. Reading a
/// task-local variable is slow, so these are read only meanwhile.
extern uintptr_t injectle_task_values;

static inline bool injectle_has_task_values(void) {
    return __builtin_expect(__atomic_load_n(&injectle_task_values, __ATOMIC_RELAXED) != 0, 0);
}

static inline void injectle_count_task_value(bool begins) { injectle_add(&injectle_task_values, begins ? 1 : -1); }

/// Where the calling task finds the value of a task-local variable, in the runtime of Swift, whose `TaskLocal` calls it.
__attribute__((swiftcall)) const void *_Nullable swift_task_localValueGet(const void *variable);

/// The address of the value of a task-local variable. A child task finds the value of the task that has bound it; a task that
/// `Task { }` starts has copies, at other addresses.
static inline uintptr_t injectle_task_local_address(uintptr_t variable) {
    return (uintptr_t)swift_task_localValueGet((const void *)variable);
}

/// Bit 0: the program has used `Locator.shared`, so a task can bind a locator. Bit 1: the process uses the test locator.
extern uintptr_t injectle_current_locator;

static inline uintptr_t injectle_locator_flags(void) { return injectle_load(&injectle_current_locator); }

static inline void injectle_allow_bindings(void) {
    __atomic_fetch_or(&injectle_current_locator, (uintptr_t)1, __ATOMIC_ACQ_REL);
}

static inline void injectle_use_test_locator(bool is_testing) {
    if (is_testing) __atomic_fetch_or(&injectle_current_locator, (uintptr_t)2, __ATOMIC_ACQ_REL);
    else __atomic_fetch_and(&injectle_current_locator, ~(uintptr_t)2, __ATOMIC_ACQ_REL);
}

// MARK: Thread

/// The state of a thread, which only that thread uses.
typedef struct {
    /// The frame of the innermost synchronous creation.
    void *_Nullable frame;
    /// Whether the thread runs a behavior, whose actions send no events.
    bool in_behavior;
    /// The node of the ending whose synchronous part the thread runs: 0 for none.
    uintptr_t ending;
    /// The node of the call that applies modules, and that the thread runs code of: 0 for none.
    uintptr_t module_call;

    // Set by the first call of `injectle_thread_current`.

    bool is_known;
    bool is_main;
    /// The number of the thread, as debuggers show it.
    uint64_t number;
    /// The lowest address of the stack, and the lowest one that a creation may begin at.
    uintptr_t stack_end, stack_reserve;
    size_t stack_size;
} injectle_thread;

extern _Thread_local injectle_thread injectle_this_thread;

void injectle_examine_thread(injectle_thread *thread);

/// The state of the calling thread.
static inline injectle_thread *injectle_thread_current(void) {
    injectle_thread *thread = &injectle_this_thread;
    if (__builtin_expect(!thread->is_known, 0)) injectle_examine_thread(thread);
    return thread;
}

/// A number that no other thread has while this one exists.
static inline uintptr_t injectle_thread_id(void) { return (uintptr_t)&injectle_this_thread; }

static inline bool injectle_is_main_thread(void) { return injectle_thread_current()->is_main; }

static inline uint64_t injectle_thread_number(void) { return injectle_thread_current()->number; }

static inline bool injectle_is_in_behavior(void) { return injectle_this_thread.in_behavior; }

/// Returns the former value.
static inline bool injectle_mark_behavior(bool is_in_behavior) {
    bool before = injectle_this_thread.in_behavior;
    injectle_this_thread.in_behavior = is_in_behavior;
    return before;
}

/// The frame of the innermost synchronous creation of the calling thread.
static inline void *_Nullable injectle_frame(void) { return injectle_this_thread.frame; }

static inline void injectle_set_frame(void *_Nullable frame) { injectle_this_thread.frame = frame; }

/// The node of the ending whose synchronous part the calling thread runs: 0 for none.
static inline uintptr_t injectle_ending(void) { return injectle_this_thread.ending; }

static inline void injectle_set_ending(uintptr_t ending) { injectle_this_thread.ending = ending; }

/// The node of the call that applies modules, and that the calling thread runs code of: 0 for none.
static inline uintptr_t injectle_module_call(void) { return injectle_this_thread.module_call; }

static inline void injectle_set_module_call(uintptr_t call) { injectle_this_thread.module_call = call; }

/// Whether the calling thread has too little of its stack left for another creation.
static inline bool injectle_stack_is_short(void) {
    const injectle_thread *thread = injectle_thread_current();
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here >= thread->stack_end && here < thread->stack_reserve;
}

/// The size of the calling thread's stack.
static inline size_t injectle_stack_size(void) { return injectle_thread_current()->stack_size; }

/// Writes a text to standard error.
void injectle_print_error(const char *text);

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

/// Returns whether the calling code runs on an executor. Outside of its jobs, the executor checks this.
///
/// The function behind `assumeIsolated`. Without flags, it does not end the process if the answer is no.
__attribute__((swiftcall)) extern bool swift_task_isCurrentExecutorWithFlags(injectle_executor executor, uint64_t flags)
    __attribute__((availability(macos, introduced = 26.0), availability(ios, introduced = 26.0),
                   availability(tvos, introduced = 26.0), availability(watchos, introduced = 26.0),
                   availability(visionos, introduced = 26.0)));

// MARK: Stored properties

/// A stored property, as the runtime describes it.
typedef struct {
    /// The address of the metadata of its type.
    uintptr_t type;
    const char *_Nullable name;
    /// Frees the name.
    void (*_Nullable free_name)(const char *_Nullable name);
} injectle_property;

/// Whether the runtime exports the functions by which `Mirror` lists stored properties.
bool injectle_lists_properties(void);

/// The number of stored properties of a class with its superclasses, an actor, a structure or a tuple; 0 for other types, and
/// where the runtime does not list them.
///
/// The parameters of the functions are the same since Swift 5.5. They read an instance of enums only, for which they are not
/// called.
size_t injectle_property_count(uintptr_t type);

/// Describes a stored property. The caller frees its name.
void injectle_get_property(uintptr_t type, size_t index, injectle_property *property);

#pragma clang assume_nonnull end

#endif
