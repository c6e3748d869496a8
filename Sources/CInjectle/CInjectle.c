#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "CInjectle.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

_Thread_local injectle_thread *injectle_this_thread;
uintptr_t injectle_lookup_word;
uintptr_t injectle_task_creations;
uintptr_t injectle_metadata_word;
void *injectle_shared_head;
const void *injectle_override_key;
const void *injectle_lookup_key;


// Guards both lists, and the fields of records that say so.
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static injectle_thread *threads;
static injectle_thread *unused_records;
static uint32_t record_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t ending;
static bool has_process_barrier;
static bool uses_fences;
static bool fails_barriers;

#if defined(__linux__) && defined(SYS_membarrier)
// The numbers of linux/membarrier.h, which older headers lack.
enum { QUERY = 0, PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

static bool register_process_barrier(void) {
    long supported = syscall(SYS_membarrier, QUERY, 0, 0);
    return supported > 0 && (supported & PRIVATE_EXPEDITED) != 0
        && syscall(SYS_membarrier, REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0
        && syscall(SYS_membarrier, PRIVATE_EXPEDITED, 0, 0) == 0;
}

static bool process_barrier(void) {
    return !__atomic_load_n(&fails_barriers, __ATOMIC_RELAXED) && syscall(SYS_membarrier, PRIVATE_EXPEDITED, 0, 0) == 0;
}
#else
static bool register_process_barrier(void) { return false; }
static bool process_barrier(void) { return false; }
#endif

static bool is_main_thread(void) {
#if defined(__APPLE__)
    return pthread_main_np() != 0;
#elif defined(__linux__)
    return (pid_t)syscall(SYS_gettid) == getpid();
#else
#error "CInjectle does not know how to tell the main thread on this platform."
#endif
}

long injectle_processor_count(void) {
    return sysconf(_SC_NPROCESSORS_ONLN);
}

static uint64_t thread_number(void) {
#if defined(__APPLE__)
    uint64_t number = 0;
    pthread_threadid_np(0, &number);
    return number;
#else
    return (uint64_t)syscall(SYS_gettid);
#endif
}

// The bytes of the stack that a creation needs at least: the frames of the library, and of a closure with several copies
// of a value of 10 KB, which then throws. A small stack reserves half.
enum { CREATION_STACK = 112 << 10 };

// Stacks grow downwards on every platform that is supported.
static void set_stack(injectle_thread *thread, uintptr_t end, size_t size) {
    thread->stack_end = end;
    thread->stack_reserve = end + (size / 2 < CREATION_STACK ? size / 2 : CREATION_STACK);
}

static void find_stack(injectle_thread *thread) {
    thread->stack_end = thread->stack_reserve = 0;
#if defined(__APPLE__)
    size_t size = pthread_get_stacksize_np(pthread_self());
    set_stack(thread, (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - size, size);
#elif defined(__linux__)
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void *end = 0;
    size_t size = 0;
    if (pthread_attr_getstack(&attributes, &end, &size) == 0) set_stack(thread, (uintptr_t)end, size);
    pthread_attr_destroy(&attributes);
#endif
}

static bool is_inside(uintptr_t section) { return (section & INJECTLE_DEPTH_BITS) != 0; }

static void add(injectle_thread *thread) {
    thread->previous = 0;
    thread->next = threads;
    if (threads) threads->previous = thread;
    threads = thread;
}

// The thread of the record has ended: it is in no read section.
static void set_unused(injectle_thread *thread) {
    if (thread->previous) thread->previous->next = thread->next; else threads = thread->next;
    if (thread->next) thread->next->previous = thread->previous;
    // A batch that waits for this thread to fence need not wait any more.
    __atomic_store_n(&thread->has_fenced, 1, __ATOMIC_RELEASE);
    thread->next = unused_records;
    unused_records = thread;
}

static void thread_ends(void *value) {
    injectle_thread *thread = value;
    injectle_this_thread = 0;
    pthread_mutex_lock(&list_lock);
    set_unused(thread);
    pthread_mutex_unlock(&list_lock);
}

static void before_fork(void) { pthread_mutex_lock(&list_lock); }

static void after_fork(void) { pthread_mutex_unlock(&list_lock); }

// Only the forking thread exists in the child. The others never leave their sections.
static void after_fork_in_child(void) {
    injectle_thread *thread = threads;
    while (thread) {
        injectle_thread *next = thread->next;
        if (thread != injectle_this_thread) {
            if (is_inside(thread->section)) thread->section = (thread->section | INJECTLE_DEPTH_BITS) + 1;
            set_unused(thread);
        }
        thread = next;
    }
    if (injectle_this_thread) injectle_this_thread->number = thread_number();
    pthread_mutex_unlock(&list_lock);
}

static void prepare(void) {
    has_process_barrier = register_process_barrier();
    uses_fences = !has_process_barrier;
    if (pthread_key_create(&ending, thread_ends) != 0) abort();
    if (pthread_atfork(before_fork, after_fork, after_fork_in_child) != 0) abort();
}

static injectle_thread *new_record(void) {
    // A cache line of its own for each, so that announcing a read disturbs no other thread.
    void *memory = 0;
    size_t size = (sizeof(injectle_thread) + 127) / 128 * 128;
    if (posix_memalign(&memory, 128, size) != 0) abort();
    injectle_thread *thread = memory;
    *thread = (injectle_thread){.index = record_count++};
    return thread;
}

injectle_thread *injectle_register_thread(void) {
    pthread_once(&once, prepare);
    pthread_mutex_lock(&list_lock);
    injectle_thread *thread = unused_records;
    if (thread) unused_records = thread->next; else thread = new_record();
    thread->frame = 0;
    thread->in_behavior = false;
    __atomic_store_n(&thread->needs_fence, uses_fences, __ATOMIC_RELAXED);
    __atomic_store_n(&thread->has_fenced, uses_fences, __ATOMIC_RELAXED);
    thread->is_main = is_main_thread();
    thread->number = thread_number();
    add(thread);
    pthread_mutex_unlock(&list_lock);
    find_stack(thread);
    pthread_setspecific(ending, thread);
    injectle_this_thread = thread;
    // Pairs with the barrier of a writer: one that does not find this record in the list is one whose change this thread
    // sees.
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return thread;
}

injectle_thread *injectle_lock_threads(void) {
    pthread_mutex_lock(&list_lock);
    return threads;
}

void injectle_unlock_threads(void) {
    pthread_mutex_unlock(&list_lock);
}

static void set_needs_fence(bool needs_fence) {
    for (injectle_thread *thread = threads; thread; thread = thread->next) {
        __atomic_store_n(&thread->needs_fence, needs_fence, __ATOMIC_RELAXED);
    }
}

static void set_has_fenced(bool has_fenced) {
    for (injectle_thread *thread = threads; thread; thread = thread->next) {
        __atomic_store_n(&thread->has_fenced, has_fenced, __ATOMIC_RELEASE);
    }
}

void injectle_process_barrier(void) {
    pthread_once(&once, prepare);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&uses_fences, __ATOMIC_SEQ_CST) || process_barrier()) return;
    // A filter of system calls was installed meanwhile. From now on, readers fence. A thread that has not done so yet may
    // be inside a section that no writer sees.
    pthread_mutex_lock(&list_lock);
    if (!uses_fences) {
        set_has_fenced(false);
        set_needs_fence(true);
        __atomic_store_n(&uses_fences, true, __ATOMIC_SEQ_CST);
    }
    pthread_mutex_unlock(&list_lock);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

bool injectle_is_reading(injectle_thread *thread, uintptr_t *section) {
    uintptr_t visible = __atomic_load_n(&thread->section, __ATOMIC_ACQUIRE);
    bool is_unknown = uses_fences && __atomic_load_n(&thread->has_fenced, __ATOMIC_ACQUIRE) == 0;
    *section = is_unknown ? 0 : visible;
    return is_unknown || is_inside(visible);
}

// Readers fence for as long as any writer may rely on that. To fences: the records first, then a barrier, after which
// each read section either is visible or fences, and only then the writers stop using barriers. To barriers: the writers
// first, and a barrier: after it, each reader sees what writers have unlinked that relied on fences.
void injectle_use_fences(bool use_fences) {
    pthread_once(&once, prepare);
    if (!has_process_barrier) return;
    pthread_mutex_lock(&list_lock);
    if (use_fences) {
        if (!uses_fences) set_has_fenced(false);
        set_needs_fence(true);
        if (process_barrier()) set_has_fenced(true);
        __atomic_store_n(&uses_fences, true, __ATOMIC_SEQ_CST);
    } else if (uses_fences) {
        __atomic_store_n(&uses_fences, false, __ATOMIC_SEQ_CST);
        if (process_barrier()) set_needs_fence(false); else __atomic_store_n(&uses_fences, true, __ATOMIC_SEQ_CST);
    }
    pthread_mutex_unlock(&list_lock);
}

void injectle_fail_barriers(bool fail) {
    __atomic_store_n(&fails_barriers, fail, __ATOMIC_RELAXED);
}

void injectle_allow_overrides(void) {
    // Sets bit 0, and makes all stamps invalid.
    __atomic_fetch_add(&injectle_lookup_word, 3, __ATOMIC_SEQ_CST);
}

void injectle_use_public_overrides(bool use_public) {
    const void *key = __atomic_load_n(&injectle_override_key, __ATOMIC_RELAXED);
    __atomic_store_n(&injectle_lookup_key, use_public ? 0 : key, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&injectle_lookup_word, 2, __ATOMIC_SEQ_CST);
}

void injectle_choose_overrides(const void *key, bool use_public) {
    // The same key each time; whoever sees a valid stamp sees it.
    __atomic_store_n(&injectle_override_key, key, __ATOMIC_RELAXED);
    injectle_use_public_overrides(use_public);
}

int64_t injectle_time(void) {
#if defined(__APPLE__)
    return (int64_t)clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW);
#else
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
#endif
}

void injectle_print_error(const char *text) {
    fputs(text, stderr);
}
