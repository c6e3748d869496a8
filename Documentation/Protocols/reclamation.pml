/* Read sections and the release of retired objects.
 *
 * Models Sources/CInjectle (`injectle_enter`, `injectle_leave`, `injectle_register_thread`, `injectle_process_barrier`,
 * `injectle_is_reading`, `injectle_use_fences`) and Runtime/Reclaimer. One word, `pointer`, publishes one object at a
 * time. Writers replace it and retire the object that it published before; readers load it in read sections and use the
 * object.
 *
 * Modes: process-wide barriers; FENCES, where readers fence; TO_FENCES and TO_BARRIERS, where a thread switches the mode
 * meanwhile; FAILING, where any barrier can fail, from which on readers fence. REUSE gives each reader two lifetimes as a
 * thread, which can reuse the record of another. NESTED lets a reader begin and end a section inside each of its sections.
 *
 * Properties, as assertions: a reader uses no freed object; no object is freed twice; once all readers have ended and one
 * more poll has happened, by a write or by the task, every retired object is freed. Each thread also reaches its end.
 */

#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef SECTIONS
#define SECTIONS 2
#endif

#define THREADS (READERS + WRITERS + 1)
#define LAST (READERS + WRITERS)

/* The bits of `section` that are the depth: INJECTLE_DEPTH_BITS. */
#define depthBits 3

/* Words of memory. */
#define pointer 0
#define writersLock 1
#define listLock 2
#define usesFences 3
#define section(record) (4 + (record))
#define needsFence(record) (4 + READERS + (record))
#define hasFenced(record) (4 + 2 * READERS + (record))
#define WORDS (4 + 3 * READERS)

#include "memory.pml"

#if defined(TO_FENCES) || defined(TO_BARRIERS) || defined(FAILING)
#define SWITCHES 1
#endif

/* The rest of the data is accessed while the list of threads is locked. */
bit isLinked[READERS];

/* The delayed batches of retired objects, one object each, with the section number of each recorded reader, 0 for others,
 * and UNKNOWN for a thread that may be inside any section. */
#define UNKNOWN 255
typedef Batch { byte recorded[READERS] }
Batch batch[WRITERS + 1];
byte delayed[WRITERS];
byte delayedCount;

/* For the properties. */
bit isRetired[WRITERS + 1];
bit isFreed[WRITERS + 1];
byte finished;

inline setRecords(first, isSet) {
    i = 0;
    do
    :: i < READERS ->
        if
        :: isLinked[i] -> STORE_RELEASE(first + i, isSet)
        :: else
        fi;
        i++
    :: else -> i = 0; break
    od
}

/* A full barrier of all readers, one after the other. */
inline systemBarrier() {
    i = 0;
    do
    :: i < READERS -> drain(i); i++
    :: else -> i = 0; break
    od
}

/* From now on, readers fence, and a thread that has not done so yet may be inside a section that no writer sees. */
inline fallBackToFences() {
    acquire(listLock);
    LOAD(usesFences, mode);
    if
    :: !mode ->
        setRecords(hasFenced(0), 0);
        setRecords(needsFence(0), 1);
        STORE(usesFences, 1);
        FENCE
    :: else
    fi;
    RELEASE(listLock);
    FENCE
}

inline processBarrier() {
    FENCE;
#ifndef MUTATION_MODE_BEFORE_UNLINK
    LOAD(usesFences, mode);
#endif
    if
    :: mode -> skip
    :: !mode -> systemBarrier()
#ifdef FAILING
    :: !mode -> fallBackToFences()
#endif
    fi;
    mode = 0
}

#ifdef MUTATION_POLL_COMPARES_AT_LEAST
#define isInside(o, i) (memory[section(i)] < batch[o].recorded[i])
#else
#define isInside(o, i) ((memory[section(i)] | depthBits) == (batch[o].recorded[i] | depthBits))
#endif
#define delays(o, i) \
    (batch[o].recorded[i] == UNKNOWN -> memory[hasFenced(i)] == 0 : batch[o].recorded[i] != 0 && isInside(o, i))

/* Takes the batches that no reader delays, in their order, up to the first that one does. A reader that has left a section
 * never returns to it, so one step for all batches is no less general. */
inline takeFree() {
    d_step {
#ifdef MUTATION_POLL_TAKES_LATER
        o = 0;
        do
        :: o < delayedCount && !delays(delayed[o], 0) && !delays(delayed[o], READERS - 1) ->
            taken[delayed[o]] = 1;
            o++
        :: else -> o = 0; break
        od
#else
        do
        :: delayedCount > 0 && !delays(delayed[0], 0) && !delays(delayed[0], READERS - 1) ->
            taken[delayed[0]] = 1;
            batch[delayed[0]].recorded[0] = 0;
            batch[delayed[0]].recorded[READERS - 1] = 0;
            delayed[0] = delayed[WRITERS - 1];
            delayed[WRITERS - 1] = 0;
            delayedCount--
        :: else -> break
        od
#endif
    }
}

/* Frees the objects that were taken. Another order of these steps frees objects at the same time or later. */
inline freeTaken() {
    atomic {
        o = 0;
        do
        :: o <= WRITERS ->
            if
            :: taken[o] ->
                assert(!isFreed[o]);
                isFreed[o] = 1;
#ifdef MUTATION_POLL_TAKES_LATER
                delayedCount = 0;
#endif
                taken[o] = 0
            :: else
            fi;
            o++
        :: else -> o = 0; break
        od
    }
}

inline poll() {
    atomic { LOCKED(listLock); takeFree() }
    freeTaken()
}

#ifdef MUTATION_FAILURE_TRUSTS_SECTIONS
#define isUnknown(i) false
#else
#define isUnknown(i) (mode && memory[hasFenced(i)] == 0)
#endif

/* Records the readers that may use the object, and adds it as a batch. */
inline retire(object) {
    acquire(listLock);
    LOAD(usesFences, mode);
    i = 0;
    do
    :: i < READERS ->
        if
        :: isLinked[i] ->
            LOAD(section(i), value);
            atomic {
                if
#ifdef SWITCHES
                :: isUnknown(i) -> batch[object].recorded[i] = UNKNOWN
                :: !isUnknown(i) && value & depthBits -> batch[object].recorded[i] = value
#else
                :: value & depthBits -> batch[object].recorded[i] = value
#endif
                :: else
                fi;
                value = 0
            }
        :: else
        fi;
        i++
    :: else -> i = 0; break
    od;
    mode = 0;
    atomic {
        delayed[delayedCount] = object;
        delayedCount++;
        takeFree();
        memory[listLock] = 0
    }
    freeTaken()
}

inline enter() {
    number++;
#ifndef MUTATION_NO_ANNOUNCEMENT
    STORE(section(record), number);
#endif
    LOAD(needsFence(record), mode);
#ifndef MUTATION_FENCE_AFTER_LOAD
    if
    :: mode ->
#ifdef SWITCHES
        STORE_RELEASE(hasFenced(record), 1);
#endif
        FENCE
    :: else
    fi
#endif
}

/* The number above the depth changes when the outermost section ends. */
inline leave() {
#ifdef MUTATION_EACH_END_CHANGES_NUMBER
    number = (number | depthBits) + 1 + (number & depthBits) - 1;
#else
    number = number + depthBits;
    if
    :: number & depthBits -> number = number - depthBits - 1
    :: else
    fi;
#endif
    STORE_RELEASE(section(record), number)
}

proctype Reader(byte me) {
    byte record, number, object, mode, lifetimes, sections;
#ifdef NESTED
    byte inner;
#endif

#ifdef REUSE
    lifetimes = 2;
#else
    lifetimes = 1;
#endif
    do
    :: lifetimes > 0 ->
        lifetimes--;
        /* The thread begins. */
        acquire(listLock);
        d_step {
            record = 0;
            do
            :: isLinked[record] -> record++
            :: else -> break
            od
        }
#ifdef SWITCHES
        LOAD(usesFences, mode);
        STORE(needsFence(record), mode);
        STORE(hasFenced(record), mode);
        mode = 0;
#endif
        isLinked[record] = 1;
        RELEASE(listLock);
        FENCE;
        LOAD(section(record), number);

        sections = SECTIONS;
        do
        :: sections > 0 ->
            sections--;
            enter();
            LOAD(pointer, object);
#ifdef MUTATION_FENCE_AFTER_LOAD
            if
            :: mode -> FENCE
            :: else
            fi;
#endif
#ifdef NESTED
            enter();
            LOAD(pointer, inner);
            assert(!isFreed[inner]);
            leave();
            inner = 0;
#endif
#ifdef MUTATION_LEAVE_BEFORE_USE
            leave();
            assert(!isFreed[object]);
#else
            assert(!isFreed[object]);
            leave();
#endif
            object = 0;
            mode = 0
        :: else -> break
        od;

        /* The thread ends. */
        atomic { LOCKED(listLock); isLinked[record] = 0; memory[hasFenced(record)] = 1; record = 0 }
        number = 0
    :: else -> break
    od;
    finished++
}

proctype Writer(byte me; byte new) {
    byte old, o, i, value, mode;
    bit taken[WRITERS + 1];

#ifdef MUTATION_MODE_BEFORE_UNLINK
    LOAD(usesFences, mode);
#endif
#ifdef MUTATION_BARRIER_BEFORE_UNLINK
    processBarrier();
#endif
    acquire(writersLock);
    LOAD(pointer, old);
    STORE(pointer, new);
    RELEASE(writersLock);
    isRetired[old] = 1;
#ifdef MUTATION_SNAPSHOT_BEFORE_BARRIER
    retire(old);
    processBarrier();
#else
#if !defined(MUTATION_NO_BARRIER) && !defined(MUTATION_BARRIER_BEFORE_UNLINK)
    processBarrier();
#endif
    retire(old);
#endif
    old = 0;
    poll();
    finished++
}

#if defined(TO_FENCES) || defined(TO_BARRIERS)
inline switchMode() {
    acquire(listLock);
#ifdef TO_FENCES
    setRecords(hasFenced(0), 0);
    setRecords(needsFence(0), 1);
#ifndef MUTATION_NO_SWITCH_BARRIER
    FENCE;
    systemBarrier();
#endif
    setRecords(hasFenced(0), 1);
    STORE(usesFences, 1);
    FENCE;
#else
#ifdef MUTATION_WRITERS_SWITCH_LAST
    setRecords(needsFence(0), 0);
    FENCE;
    systemBarrier();
    STORE(usesFences, 0);
    FENCE;
#else
    STORE(usesFences, 0);
    FENCE;
    systemBarrier();
    setRecords(needsFence(0), 0);
#endif
#endif
    RELEASE(listLock)
}
#endif

/* Changes the mode; then stands for the last write, or for the task, when all threads have ended. */
proctype Last(byte me) {
    byte o, i, t, mode;
    bit taken[WRITERS + 1];

#if defined(TO_FENCES) || defined(TO_BARRIERS)
    switchMode();
#endif
    finished == READERS + WRITERS;
    do
    :: t < THREADS -> buffer[t].count == 0; t++
    :: else -> break
    od;
    poll();
    atomic {
        o = 0;
        do
        :: o <= WRITERS -> assert(isFreed[o] == isRetired[o]); o++
        :: else -> break
        od
    }
}

init {
    byte t;
    atomic {
#if defined(FENCES) || defined(TO_BARRIERS)
        memory[usesFences] = 1;
        do
        :: t < READERS -> memory[needsFence(t)] = 1; memory[hasFenced(t)] = 1; t++
        :: else -> t = 0; break
        od;
#endif
        do
        :: t < READERS -> run Reader(t); t++
        :: else -> break
        od;
        do
        :: t < READERS + WRITERS -> run Writer(t, t - READERS + 1); t++
        :: else -> break
        od;
        run Last(LAST);
        t = 0
    }
}
