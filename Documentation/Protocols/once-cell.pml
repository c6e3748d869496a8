/* The once cell.
 *
 * Models Runtime/OnceStateMachine, Runtime/OnceCell, and the parts of Resolution/Creation and Resolution/TaskCreation that
 * claim, settle and wait. The lock of the cell makes each call of the state machine one step; the closure, the wake-ups
 * and the cancellations are steps of their own.
 *
 * Each of CALLERS requests the service once. Meanwhile, RESETS resets discard the product, and one removal can end the
 * registration. Without TASKS, callers are threads and the caller that claims the cell runs the closure. With TASKS,
 * callers are tasks, some of which are cancelled, and the closure runs in a task creation of its own; where all callers
 * can be cancelled, a closure may end only when its task is. A close of the locator cancels a creation, and waits for it.
 *
 * Properties: every caller gets an outcome, and every creation ends (no invalid end state). As assertions: one creation
 * runs at a time; one product is kept from one reset to the next; a product or failure is never delivered to a caller that
 * asked after a reset that the creation began before; a failure that concerns one caller alone reaches no other; a caller
 * that is not cancelled gets no cancellation; a failed creation leaves the cell idle.
 */

#ifndef CALLERS
#define CALLERS 3
#endif
#ifndef RESETS
#define RESETS 1
#endif

/* The callers and the close. */
#define WAITERS (CALLERS + 1)

/* Each caller creates once for each answer `make`, and asks again after each reset or unshared failure at most. */
#ifndef CREATIONS
#define CREATIONS 6
#endif

mtype = {
    idle, creation, made,
    none, product, failure, unshared, again, cancelled, missing
};

/* The cell. Changed under its lock. */
mtype phase = idle;
byte creator;
bit isDiscarded;
bit isWaiter[WAITERS];
bit isLatecomer[WAITERS];
byte cached;
bit isRemoved;

/* The waiters. */
mtype outcome[WAITERS] = none;
byte delivered[WAITERS];
bit isAwake[WAITERS];

/* Creations, by number from 1. `waiting`, `isCancelled`, `isTaskCancelled` and `hasTask` belong to task creations. */
byte creations;
byte waiting[CREATIONS + 1];
bit isCancelled[CREATIONS + 1];
bit hasTask[CREATIONS + 1];
bit isTaskCancelled[CREATIONS + 1];

/* For the properties: the number of resets, and that number when the creation began; closures in progress. */
byte resets;
byte beganAt[CREATIONS + 1];
byte keptSinceReset;
byte running;
/* The callers that can be cancelled. */
bit isCancellable[CALLERS];
byte cancellable;

inline startCreation() {
    assert(creations < CREATIONS);
    creations++;
    number = creations;
    beganAt[number] = resets;
    phase = creation;
    creator = number;
    waiting[number] = 1
}

inline enter() {
    outcome[me] = none;
    isAwake[me] = 0;
#ifndef MUTATION_LATECOMERS_WAIT
    if
    :: isDiscarded -> isLatecomer[me] = 1
    :: else -> isWaiter[me] = 1
    fi;
#else
    isWaiter[me] = 1;
#endif
#ifdef TASKS
    waiting[creator]++
#endif
}

/* The end of creation `number` with `result`. */
inline end() {
    atomic {
        /* Under the cell's lock. */
        assert(phase == creation && creator == number);
        phase = idle;
        c = 0;
        do
        :: c < WAITERS ->
            isEnded[c] = isWaiter[c];
            isOther[c] = isLatecomer[c];
            isWaiter[c] = 0;
            isLatecomer[c] = 0;
            c++
        :: else -> c = 0; break
        od;
        if
#ifdef MUTATION_DISCARD_FORGOTTEN
        :: result == product ->
#else
        :: result == product && !isDiscarded ->
#endif
            phase = made;
            cached = number;
            assert(beganAt[number] == resets);
            keptSinceReset++;
            assert(keptSinceReset == 1)
        :: else
        fi;
        isDiscarded = 0;
        creator = 0
    }
#ifdef TASKS
    /* Each waiter continues at this step or later. */
    atomic {
#endif
    do
    :: c < WAITERS ->
        if
        :: isEnded[c] || isOther[c] ->
#ifdef MUTATION_WAKE_BEFORE_OUTCOME
            isAwake[c] = 1;
#endif
            atomic {
                outcome[c] = (isEnded[c] -> result : again);
                delivered[c] = number;
                isEnded[c] = 0;
                isOther[c] = 0
            }
#ifndef MUTATION_WAKE_BEFORE_OUTCOME
            isAwake[c] = 1;
#endif
        :: else
        fi;
        c++
    :: else -> c = 0; break
    od
#ifdef TASKS
    }
#endif
}

inline succeedOrFail() {
    if
    :: result = product
    :: result = failure
#ifndef TASKS
    :: result = unshared
#endif
    fi
}

#ifdef TASKS
proctype TaskCreation(byte number) {
    mtype result = none;
    byte c;
    bit isEnded[WAITERS];
    bit isOther[WAITERS];

    running++;
    assert(running == 1);
    if
    :: succeedOrFail()
    :: cancellable == CALLERS -> isTaskCancelled[number]; result = unshared
    :: isRemoved -> result = again
    fi;
    running--;
    /* The failure of a cancelled creation is for no caller. */
    if
#ifdef MUTATION_CANCELLATION_DELIVERED
    :: result == unshared && isCancelled[number] -> result = cancelled
#else
    :: result != product && isCancelled[number] -> result = again
#endif
    :: else
    fi;
    end()
}

inline cancelTask(n) {
    atomic {
        isCancelled[n] = 1;
        isStarted = hasTask[n]
    }
    if
    :: isStarted -> isTaskCancelled[n] = 1
    :: else
    fi;
    isStarted = 0
}
#endif

proctype Caller(byte me) {
    mtype result = none;
    byte number, c, askedAt, last;
    bit claims, isStarted, hasLeft;
    bit isEnded[WAITERS];
    bit isOther[WAITERS];

    askedAt = resets;
    do
    :: result == none || result == again ->
        result = none;
        /* Under the cell's lock. */
        atomic {
            if
            :: isRemoved -> result = missing
            :: !isRemoved && phase == made -> result = product; last = cached
            :: !isRemoved && phase == idle ->
                claims = 1;
#ifndef MUTATION_ASK_IN_TWO_STEPS
                startCreation();
#ifdef TASKS
                outcome[me] = none;
                isAwake[me] = 0;
                isWaiter[me] = 1
#endif
#endif
            :: !isRemoved && phase == creation ->
                last = creator;
#ifndef MUTATION_ENTER_AFTER_LOCK
                enter()
#endif
            fi
        }
#ifdef MUTATION_ASK_IN_TWO_STEPS
        if
        :: claims -> atomic { startCreation() }
        :: else
        fi;
#endif
        if
        :: result != none
#ifndef TASKS
        :: result == none && claims ->
            claims = 0;
            /* A removal also releases the closure, which is loaded after the claim. */
            if
            :: isRemoved -> result = again
            :: else ->
                running++;
                assert(running == 1);
                succeedOrFail();
                running--
            fi;
            if
#ifdef MUTATION_FAILURE_KEEPS_CLAIM
            :: result == failure || result == unshared
#endif
#ifdef MUTATION_REMOVAL_KEEPS_CLAIM
            :: result == again
#endif
            :: else -> end()
            fi;
            last = number;
            number = 0;
        :: result == none && !claims ->
#ifdef MUTATION_ENTER_AFTER_LOCK
            atomic { enter() }
#endif
            atomic {
                isAwake[me];
                assert(outcome[me] != none);
                result = outcome[me];
                if
                :: result == unshared -> result = again
                :: result == product || result == failure ->
                    last = delivered[me];
                    assert(beganAt[last] >= askedAt)
                :: else
                fi
            }
#else
        :: result == none ->
            if
            :: claims ->
                claims = 0;
                last = number;
                run TaskCreation(number);
                /* The task is known to `cancel` a step after it has begun. */
#ifdef MUTATION_EARLY_CANCEL_LOST
                hasTask[number] = 1;
#else
                atomic { hasTask[number] = 1; isStarted = isCancelled[number] }
                if
                :: isStarted -> isTaskCancelled[number] = 1; isStarted = 0
                :: else
                fi;
#endif
                number = 0
            :: else
            fi;
            if
            :: isAwake[me]
            :: isCancellable[me] ->
                atomic {
                    hasLeft = isWaiter[me] || isLatecomer[me];
                    isWaiter[me] = 0;
                    isLatecomer[me] = 0
                }
                if
                :: hasLeft ->
                    result = cancelled;
                    atomic { waiting[last]--; claims = waiting[last] == 0 }
                    if
                    :: claims ->
                        claims = 0;
#ifndef MUTATION_NO_CANCELLATION
                        cancelTask(last)
#endif
                    :: else
                    fi
                :: else -> isAwake[me]
                fi
            fi;
            if
            :: result == none ->
                atomic {
                    assert(outcome[me] != none);
                    /* Only this caller's own cancellation. */
                    assert(outcome[me] != cancelled);
                    result = outcome[me];
                    outcome[me] = none;
                    isAwake[me] = 0;
                    if
                    :: result == product || result == failure ->
                        last = delivered[me];
                        assert(beganAt[last] >= askedAt)
                    :: else
                    fi;
                    delivered[me] = 0
                }
            :: else
            fi;
            last = 0
#endif
        fi
    :: else -> break
    od
}

proctype Reset() {
    byte count;

    do
    :: count < RESETS ->
        atomic {
            count++;
            resets++;
            keptSinceReset = 0;
            if
            :: phase == made -> phase = idle; cached = 0
            :: phase == creation -> isDiscarded = 1
            :: phase == idle
            fi
        }
    :: break
    od;
    if
    :: atomic {
            isRemoved = 1;
            if
            :: phase == made -> phase = idle; cached = 0
            :: phase == creation -> isDiscarded = 1
            :: else
            fi
        }
    :: skip
    fi
}

#ifdef TASKS
proctype Close() {
    byte number;
    bit isStarted;

    if
    :: atomic {
            phase == creation;
            number = creator;
            outcome[CALLERS] = none;
            isAwake[CALLERS] = 0;
            waiting[creator]++;
            if
            :: isDiscarded -> isLatecomer[CALLERS] = 1
            :: else -> isWaiter[CALLERS] = 1
            fi
        }
        cancelTask(number);
        isAwake[CALLERS];
        number = 0
    :: skip
    fi
}
#endif

init {
    byte n;
    atomic {
        do
        :: n < CALLERS ->
#ifdef TASKS
            if
            :: isCancellable[n] = 1; cancellable++
            :: skip
            fi;
#endif
            run Caller(n);
            n++
        :: else -> n = 0; break
        od;
#ifdef TASKS
        run Close();
#endif
        run Reset()
    }
    _nr_pr == 1;
    assert(phase != creation);
    assert(running == 0)
}
