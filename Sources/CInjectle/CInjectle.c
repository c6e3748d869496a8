#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "CInjectle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

uintptr_t injectle_last_order;
uintptr_t injectle_task_values;
uintptr_t injectle_current_locator;
_Thread_local injectle_thread injectle_this_thread;

#if !defined(__APPLE__)
void injectle_acquire_contended(injectle_lock *lock) {
    while (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE) != 0) {
        syscall(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
    }
}

void injectle_wake_one(injectle_lock *lock) {
    syscall(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}
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
enum { CREATION_STACK = 64 << 10 };

// Stacks grow downwards on every platform that is supported.
static void set_stack(injectle_thread *thread, uintptr_t end, size_t size) {
    thread->stack_end = end;
    thread->stack_size = size;
    thread->stack_reserve = end + (size / 2 < CREATION_STACK ? size / 2 : CREATION_STACK);
}

void injectle_examine_thread(injectle_thread *thread) {
    thread->is_main = is_main_thread();
    thread->number = thread_number();
    thread->is_known = true;
#if defined(__APPLE__)
    size_t size = pthread_get_stacksize_np(pthread_self());
    set_stack(thread, (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - size, size);
#else
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void *end = 0;
    size_t size = 0;
    if (pthread_attr_getstack(&attributes, &end, &size) == 0) set_stack(thread, (uintptr_t)end, size);
    pthread_attr_destroy(&attributes);
#endif
}

void injectle_print_error(const char *text) { fputs(text, stderr); }

// The runtime writes a name, the function that frees it, and two flags.
typedef struct {
    const char *name;
    void (*free_name)(const char *name);
    bool flags[2 * sizeof(void *)];
} runtime_property;

typedef __attribute__((swiftcall)) size_t (*measure_function)(uintptr_t type);
typedef __attribute__((swiftcall)) uintptr_t (*child_function)(uintptr_t type, size_t index, runtime_property *property);

// Looked up by name, so that a program also starts where a static runtime does not export them.
static void *runtime_function(const char *name) {
    void *process = dlopen(NULL, RTLD_LAZY);
    return process ? dlsym(process, name) : NULL;
}

static measure_function kind_function(void) { return (measure_function)runtime_function("swift_getMetadataKind"); }

static measure_function count_function(void) {
    return (measure_function)runtime_function("swift_reflectionMirror_recursiveCount");
}

static child_function type_function(void) {
    return (child_function)runtime_function("swift_reflectionMirror_recursiveChildMetadata");
}

bool injectle_lists_properties(void) { return kind_function() && count_function() && type_function(); }

size_t injectle_property_count(uintptr_t type) {
    if (!injectle_lists_properties()) return 0;
    size_t kind = kind_function()(type);
    // Class, structure and tuple.
    return kind == 0 || kind == 0x200 || kind == 0x301 ? count_function()(type) : 0;
}

void injectle_get_property(uintptr_t type, size_t index, injectle_property *result) {
    runtime_property property = {0};
    result->type = type_function()(type, index, &property);
    result->name = property.name;
    result->free_name = property.free_name;
}
