/* Holds, and the deferred release of held objects.
 *
 * Models CInjectle.h ("Holds"), and `keepHeld` and `releaseHeld` in Runtime/Reclaimer. Word `pointer(n)`
 * publishes object n + 1. Each holder finds the objects in read sections, holds them, the second while it holds the first,
 * uses them after the sections, and ends the holds in reverse order. With one of PLACES, a holder holds any one of the
 * objects. Writer n unlinks object n + 1.
 *
 * A batch is delayed as in reclamation.pml: here, the process that stands for its release continues when all recorded
 * readers have left. With FENCES, holders fence; otherwise, writers use process-wide barriers.
 *
 * Properties, as assertions: a holder uses no freed object; no object is freed twice; once all threads have ended, every
 * object that a writer unlinked is freed, without any further call.
 */

#ifndef HOLDERS
#define HOLDERS 2
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
/* The number of holds of a thread at a time. */
#ifndef PLACES
#define PLACES WRITERS
#endif

#define THREADS (HOLDERS + WRITERS)

#define pointer(n) (n)
#define section(t) (WRITERS + (t))
#define held(t, place) (WRITERS + HOLDERS + PLACES * (t) + (place))
#define deferredIndex(t) (WRITERS + HOLDERS + PLACES * HOLDERS + (t))
#define listLock (WRITERS + HOLDERS * (PLACES + 2))
#define WORDS (listLock + 1)

#define CAPACITY 4
#include "memory.pml"

/* The held objects that wait for the end of the hold. Accessed while the list of threads is locked. */
bit isDeferred[WRITERS + 1];

/* For the properties. */
bit isFreed[WRITERS + 1];

#ifdef FENCES
#define orderHold() FENCE
#else
#define orderHold() skip
#endif

inline processBarrier() {
    FENCE;
#ifndef FENCES
    i = 0;
    do
    :: i < HOLDERS -> drain(i); i++
    :: else -> i = 0; break
    od
#endif
}

/* Whether any thread holds the object; with `marks`, writes this to the records of these threads. */
inline search(object, marks) {
    isHeld = 0;
    i = 0;
    do
    :: i < HOLDERS ->
        place = 0;
        do
        :: place < PLACES ->
            atomic { peek(held(i, place), value); isSame = value == object; value = 0 }
            if
            :: isSame ->
                isHeld = 1;
                isSame = 0;
                if
                :: marks ->
                    LOAD(deferredIndex(i), value);
                    if
                    :: value <= place -> STORE(deferredIndex(i), place + 1)
                    :: else
                    fi;
                    value = 0
                :: else
                fi
            :: else
            fi;
            place++
        :: else -> place = 0; break
        od;
        i++
    :: else -> i = 0; break
    od
}

inline forEachDeferred_mark() {
    object = 1;
    do
    :: object <= WRITERS ->
        if
        :: isDeferred[object] -> search(object, 1)
        :: else
        fi;
        object++
    :: else -> object = 0; break
    od
}

inline forEachDeferred_take() {
    object = 1;
    do
    :: object <= WRITERS ->
        if
        :: isDeferred[object] ->
            search(object, 0);
            atomic {
                if
                :: !isHeld -> isDeferred[object] = 0; taken[object] = 1
                :: else
                fi;
                isHeld = 0
            }
        :: else
        fi;
        object++
    :: else -> object = 0; break
    od
}

inline lockList() {
#ifdef MUTATION_NO_LOCK
    FENCE
#else
    acquire(listLock)
#endif
}

#ifdef MUTATION_NO_LOCK
#define unlockList() skip
#else
#define unlockList() RELEASE(listLock)
#endif

inline clearOwnMark() {
    if
    :: me < HOLDERS -> STORE(deferredIndex(me), 0)
    :: else
    fi
}

inline releaseHeld(added) {
#ifndef MUTATION_MARK_AFTER_SEARCH
    lockList();
#ifndef MUTATION_CLEAR_AFTER_MARKS
    clearOwnMark();
#endif
#ifdef MUTATION_MARKS_ONLY_ADDED
    if
    :: (added) -> search(added, 1)
    :: else
    fi;
#else
    forEachDeferred_mark();
#endif
#ifdef MUTATION_CLEAR_AFTER_MARKS
    clearOwnMark();
#endif
    unlockList();
#endif
#ifndef MUTATION_NO_BARRIER
    processBarrier();
#endif
#ifdef MUTATION_NO_SECOND_SEARCH
    if
    :: !(added) ->
#endif
    lockList();
    forEachDeferred_take();
    unlockList();
#ifdef MUTATION_NO_SECOND_SEARCH
    :: else
    fi;
#endif
#ifdef MUTATION_MARK_AFTER_SEARCH
    lockList();
    clearOwnMark();
    forEachDeferred_mark();
    unlockList();
#endif
    atomic {
        object = 0;
        do
        :: object <= WRITERS ->
            if
            :: taken[object] ->
                assert(!isFreed[object]);
                isFreed[object] = 1;
                taken[object] = 0
            :: else
            fi;
            object++
        :: else -> object = 0; break
        od;
        isHeld = 0
    }
}

#define use(object) assert((object) == 0 || !isFreed[object])

inline beginHold(n) {
    number++;
    STORE(section(me), number);
    orderHold();
    LOAD(pointer(n), own[n]);
    number++;
#ifdef MUTATION_LEAVE_BEFORE_HOLD
    STORE_RELEASE(section(me), number);
#endif
    if
    :: own[n] ->
        STORE(held(me, count), own[n]);
        count++
    :: else
    fi;
#ifndef MUTATION_LEAVE_BEFORE_HOLD
    STORE_RELEASE(section(me), number);
#endif
    use(own[n])
}

inline endHold(n) {
    use(own[n]);
    if
    :: own[n] ->
        count--;
#ifdef MUTATION_CHECK_BEFORE_END
        LOAD(deferredIndex(me), index);
#endif
        STORE_RELEASE(held(me, count), 0);
#ifndef MUTATION_NO_FENCE
        orderHold();
#endif
#ifndef MUTATION_CHECK_BEFORE_END
        LOAD(deferredIndex(me), index);
#endif
        own[n] = 0;
        if
        :: count < index -> index = 0; releaseHeld(0)
        :: else -> index = 0
        fi
    :: else
    fi
}

proctype Holder(byte me) {
    byte number, count, index, i, place, value, object;
    byte own[WRITERS];
    bit isHeld, isSame;
    bit taken[WRITERS + 1];

#if WRITERS > 1 && PLACES > 1
    beginHold(0);
    beginHold(1);
    endHold(1);
    endHold(0)
#elif WRITERS > 1
    if
    :: beginHold(0); endHold(0)
    :: beginHold(1); endHold(1)
    fi
#else
    beginHold(0);
    endHold(0)
#endif
}

proctype Writer(byte me) {
    byte i, place, value, object;
    byte recorded[HOLDERS];
    bit isHeld, isSame;
    bit taken[WRITERS + 1];

    STORE(pointer(me - HOLDERS), 0);
    processBarrier();
    do
    :: i < HOLDERS ->
        atomic {
            peek(section(i), value);
            if
            :: value & 1 -> recorded[i] = value
            :: else
            fi;
            value = 0
        }
        i++
    :: else -> i = 0; break
    od;
#ifdef MUTATION_SEARCH_BEFORE_GRACE
    lockList();
    search(me - HOLDERS + 1, 0);
    unlockList();
#endif
    do
    :: i < HOLDERS -> recorded[i] == 0 || memory[section(i)] != recorded[i]; recorded[i] = 0; i++
    :: else -> i = 0; break
    od;
    lockList();
#ifndef MUTATION_SEARCH_BEFORE_GRACE
    search(me - HOLDERS + 1, 0);
#endif
    if
    :: isHeld -> isDeferred[me - HOLDERS + 1] = 1
    :: else
    fi;
    unlockList();
    if
    :: isHeld -> releaseHeld(me - HOLDERS + 1)
    :: else -> d_step { assert(!isFreed[me - HOLDERS + 1]); isFreed[me - HOLDERS + 1] = 1 }
    fi
}

init {
    byte n;
    atomic {
        do
        :: n < WRITERS -> memory[pointer(n)] = n + 1; run Writer(HOLDERS + n); n++
        :: else -> n = 0; break
        od;
        do
        :: n < HOLDERS -> run Holder(n); n++
        :: else -> n = 0; break
        od
    }
    _nr_pr == 2;
    do
    :: n < THREADS -> buffer[n].count == 0; n++
    :: else -> break
    od;
    atomic {
        n = 1;
        do
        :: n <= WRITERS -> assert(isFreed[n]); n++
        :: else -> break
        od
    }
}
