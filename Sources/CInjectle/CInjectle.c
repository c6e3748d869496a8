#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "CInjectle.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

_Thread_local injectle_thread *injectle_this_thread;
uintptr_t injectle_lookup_word;
uintptr_t injectle_task_creations;
void *injectle_shared_head;
const void *injectle_override_key;
uintptr_t injectle_public_overrides;

static injectle_thread *threads;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t ending;
static bool has_process_barrier;
static bool uses_fences;
static pthread_mutex_t fences = PTHREAD_MUTEX_INITIALIZER;

#if defined(__linux__) && defined(SYS_membarrier)
// The numbers of linux/membarrier.h, which older headers lack.
enum { QUERY = 0, PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

static bool register_process_barrier(void) {
    long supported = syscall(SYS_membarrier, QUERY, 0, 0);
    return supported > 0 && (supported & PRIVATE_EXPEDITED) != 0
        && syscall(SYS_membarrier, REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static void process_barrier(void) {
    syscall(SYS_membarrier, PRIVATE_EXPEDITED, 0, 0);
}
#else
static bool register_process_barrier(void) { return false; }
static void process_barrier(void) {}
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

uint64_t injectle_thread_number(void) {
#if defined(__APPLE__)
    uint64_t number = 0;
    pthread_threadid_np(0, &number);
    return number;
#else
    return (uint64_t)syscall(SYS_gettid);
#endif
}

// Stacks grow downwards on every platform that is supported.
static void find_stack(injectle_thread *thread) {
    thread->stack_end = thread->stack_reserve = 0;
#if defined(__APPLE__)
    size_t size = pthread_get_stacksize_np(pthread_self());
    thread->stack_end = (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - size;
    thread->stack_reserve = thread->stack_end + size / 4;
#elif defined(__linux__)
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void *end = 0;
    size_t size = 0;
    if (pthread_attr_getstack(&attributes, &end, &size) == 0) {
        thread->stack_end = (uintptr_t)end;
        thread->stack_reserve = thread->stack_end + size / 4;
    }
    pthread_attr_destroy(&attributes);
#endif
}

// A thread that ends leaves its record to the next one. It is outside of read sections then.
static void thread_ends(void *value) {
    injectle_thread *thread = value;
    injectle_this_thread = 0;
    __atomic_store_n(&thread->is_taken, 0, __ATOMIC_RELEASE);
}

static void prepare(void) {
    has_process_barrier = register_process_barrier();
    uses_fences = !has_process_barrier;
    if (pthread_key_create(&ending, thread_ends) != 0) abort();
}

static void set_needs_fence(injectle_thread *thread, bool needs_fence) {
    __atomic_store_n(&thread->needs_fence, needs_fence, __ATOMIC_RELAXED);
}

static injectle_thread *take_record(void) {
    for (injectle_thread *thread = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); thread; thread = thread->next) {
        uintptr_t free = 0;
        if (__atomic_compare_exchange_n(&thread->is_taken, &free, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
            return thread;
        }
    }
    // A cache line of its own for each, so that announcing a read disturbs no other thread.
    void *memory = 0;
    size_t size = (sizeof(injectle_thread) + 127) / 128 * 128;
    if (posix_memalign(&memory, 128, size) != 0) abort();
    injectle_thread *thread = memory;
    *thread = (injectle_thread){.is_taken = 1};
    injectle_thread *first = __atomic_load_n(&threads, __ATOMIC_RELAXED);
    do {
        thread->next = first;
    } while (!__atomic_compare_exchange_n(&threads, &first, thread, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return thread;
}

injectle_thread *injectle_register_thread(void) {
    pthread_once(&once, prepare);
    injectle_thread *thread = take_record();
    thread->frame = 0;
    thread->held_count = 0;
    __atomic_store_n(&thread->deferred_index, 0, __ATOMIC_RELAXED);
    pthread_mutex_lock(&fences);
    set_needs_fence(thread, uses_fences);
    pthread_mutex_unlock(&fences);
    thread->kinds = INJECTLE_ANY_THREAD | (is_main_thread() ? INJECTLE_MAIN_THREAD : 0);
    find_stack(thread);
    pthread_setspecific(ending, thread);
    injectle_this_thread = thread;
    // Pairs with the barrier in `injectle_synchronize`: a writer that does not find this record in the list is one
    // whose change this thread sees.
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return thread;
}

// Returns once every read section that was in progress at the last process barrier has ended.
static void wait_for_sections(void) {
    for (injectle_thread *thread = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); thread; thread = thread->next) {
        uintptr_t section = __atomic_load_n(&thread->section, __ATOMIC_ACQUIRE);
        if ((section & 1) == 0) continue;
        // A read section is a few instructions long: a thread that is still inside was interrupted there.
        for (unsigned spins = 0; __atomic_load_n(&thread->section, __ATOMIC_ACQUIRE) == section; spins++) {
            if (spins > 64) sched_yield();
        }
    }
}

void injectle_synchronize(void) {
    bool relied_on_fences;
    do {
        pthread_once(&once, prepare);
        relied_on_fences = __atomic_load_n(&uses_fences, __ATOMIC_SEQ_CST);
        injectle_process_barrier();
        wait_for_sections();
        // After a switch to barriers meanwhile, a reader without a fence may have been missed.
    } while (relied_on_fences && !__atomic_load_n(&uses_fences, __ATOMIC_SEQ_CST));
}

// Readers fence for as long as any writer may rely on that. To fences: the records first, then a barrier, after which
// each read section either is visible or fences, and only then the writers stop using barriers. To barriers: the writers
// first; one that is in progress runs again.
void injectle_use_fences(bool use_fences) {
    pthread_once(&once, prepare);
    if (!has_process_barrier) return;
    pthread_mutex_lock(&fences);
    if (!use_fences) {
        __atomic_store_n(&uses_fences, false, __ATOMIC_SEQ_CST);
        process_barrier();
    }
    for (injectle_thread *thread = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); thread; thread = thread->next) {
        set_needs_fence(thread, use_fences);
    }
    if (use_fences) {
        process_barrier();
        __atomic_store_n(&uses_fences, true, __ATOMIC_SEQ_CST);
    }
    pthread_mutex_unlock(&fences);
}

void injectle_allow_overrides(const void *key) {
    // The same key each time; whoever sees the bit sees it.
    __atomic_store_n(&injectle_override_key, key, __ATOMIC_RELAXED);
    __atomic_fetch_or(&injectle_lookup_word, 1, __ATOMIC_SEQ_CST);
}

void injectle_use_public_overrides(bool use_public) {
    __atomic_store_n(&injectle_public_overrides, use_public, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&injectle_lookup_word, 2, __ATOMIC_SEQ_CST);
}

bool injectle_has_holds(void) {
    for (injectle_thread *thread = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); thread; thread = thread->next) {
        // Held in order, so what is held is seen at the first place.
        if (__atomic_load_n(&thread->held[0], __ATOMIC_ACQUIRE) != 0) return true;
    }
    return false;
}

bool injectle_is_held(const void *object, bool marks_deferred) {
    bool is_held = false;
    for (injectle_thread *thread = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); thread; thread = thread->next) {
        for (uintptr_t place = 0; place < INJECTLE_HOLDS; place++) {
            if (__atomic_load_n(&thread->held[place], __ATOMIC_ACQUIRE) != object) continue;
            is_held = true;
            if (marks_deferred && __atomic_load_n(&thread->deferred_index, __ATOMIC_RELAXED) <= place) {
                __atomic_store_n(&thread->deferred_index, place + 1, __ATOMIC_RELAXED);
            }
        }
    }
    return is_held;
}

void injectle_clear_deferred(void) {
    __atomic_store_n(&injectle_thread_current()->deferred_index, 0, __ATOMIC_RELAXED);
}

void injectle_process_barrier(void) {
    pthread_once(&once, prepare);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&uses_fences, __ATOMIC_SEQ_CST)) process_barrier();
}

void injectle_print_error(const char *text) {
    fputs(text, stderr);
}
