/* The wait-for graph and the main-actor bridge.
 *
 * Models Runtime/WaitForGraph, Runtime/MainActorBridge, and the parts of Resolution/Creation that claim cells and wait on
 * threads. THREADS threads and the main thread resolve one service each, of CELLS services; the closures of the last
 * MAIN_CELLS ones run on the main actor. Which services a closure resolves, and whether it succeeds, is open: the model
 * contains all dependency graphs with at most BUDGET requests for each thread, and closures that catch errors.
 *
 * A node is one top-level resolve, so each thread has the node of its number, from its first claim or job on. The main
 * thread works through a stack: creations, waits, and the jobs that it runs for other threads in between. Without
 * DEADLINES, no thread gives up a job, so that a deadline hides no deadlock.
 *
 * Properties: no deadlock (no invalid end state). As assertions: the graph refuses an edge only if the threads really would
 * wait for each other; a job that was given up does not run; a caller waits without limit only for a creation that runs.
 */

#ifndef THREADS
#define THREADS 2
#endif
#ifndef CELLS
#define CELLS 3
#endif
#ifndef MAIN_CELLS
#define MAIN_CELLS 1
#endif
#ifndef BUDGET
#define BUDGET 2
#endif

#define MAIN THREADS
#define NODES (THREADS + 1)
/* The waits of the main thread at a time. */
#ifdef NO_MAIN_THREAD
#define LEVELS 0
#else
#define LEVELS 2
#endif
#define WAITERS (THREADS + LEVELS)
#define NONE 255
#define runsOnMain(c) ((c) >= CELLS - MAIN_CELLS)

mtype = {
    idle, creation, made,
    noJob, pending, running, givenUp, ended,
    succeeded, failed, busy,
    creates, waits, performs
};

/* The cells, each changed under its lock. */
mtype phase[CELLS] = idle;
byte creator[CELLS] = NONE;
/* The cell that a waiter has entered, plus 1. */
byte entered[WAITERS];

/* The waiters: of the threads, then of the main thread by level. */
byte waiterNode[WAITERS] = NONE;
byte waiterCreator[WAITERS];
bit isOpen[WAITERS];
bit isNudged[WAITERS];
bit hasFailed[WAITERS];

/* The number of edges between two nodes. */
byte edge[NODES * NODES];

/* The jobs of the threads. */
mtype job[THREADS] = noJob;
byte jobCell[THREADS];
mtype jobResult[THREADS];
byte budget[NODES] = BUDGET;

/* The waits of the main thread, under the lock of the bridge's queue. */
byte level;
byte finished;

/* For the properties: the creations of the main thread that stand still for a job. */
byte standsStill[NODES * NODES];

hidden byte from, to, round, found;

/* Sets `isFound` to whether node `a` can continue only after node `b`, by the edges. */
inline searchEdges(a, b) {
    found = 1 << (a);
    round = 0;
    do
    :: round < NODES ->
        from = 0;
        do
        :: from < NODES ->
            to = (found & (1 << from) -> 0 : NODES);
            do
            :: to < NODES ->
                if
                :: edge[from * NODES + to] -> found = found | (1 << to)
                :: else
                fi;
                to++
            :: else -> break
            od;
            from++
        :: else -> break
        od;
        round++
    :: else -> break
    od;
    isFound = (found >> (b)) & 1;
    found = 0; round = 0; from = 0; to = 0
}

/* The same by the waits of threads themselves: cells entered whose creation has not ended, and jobs in progress. */
inline searchWaits(a, b) {
    found = 1 << (a);
    round = 0;
    do
    :: round < NODES ->
        from = 0;
        do
        :: from < WAITERS ->
            if
            :: entered[from] && waiterNode[from] != NONE && (found & (1 << waiterNode[from])) ->
                found = found | (1 << creator[entered[from] - 1])
            :: else
            fi;
            from++
        :: else -> break
        od;
        from = 0;
        do
        :: from < NODES ->
            to = 0;
            do
            :: to < NODES ->
                if
                :: standsStill[from * NODES + to] && (found & (1 << from)) -> found = found | (1 << to)
                :: else
                fi;
                to++
            :: else -> break
            od;
            from++
        :: else -> break
        od;
        round++
    :: else -> break
    od;
    isFound = (found >> (b)) & 1;
    found = 0; round = 0; from = 0; to = 0
}

/* `begin(waitingFor:)`: sets `isFound` to whether the edge is refused. */
inline begin(node, other) {
    searchEdges(other, node);
    if
    :: isFound -> searchWaits(other, node); assert(isFound)
    :: else -> edge[(node) * NODES + other]++
    fi
}

inline enter(w, c, node) {
    waiterNode[w] = node;
    waiterCreator[w] = creator[c];
    isOpen[w] = 0;
    isNudged[w] = 0;
    hasFailed[w] = 0;
    entered[w] = c + 1;
#if MAIN_CELLS > 0
    assert(!runsOnMain(c) || hasBegun[c])
#endif
}

#if MAIN_CELLS > 0
bit hasBegun[CELLS];
#define markBegun(c) hasBegun[c] = 1
#define markEnded(c) hasBegun[c] = 0
#else
#define markBegun(c) skip
#define markEnded(c) skip
#endif

inline removeEdge(w) {
    if
    :: waiterNode[w] != NONE -> edge[waiterNode[w] * NODES + waiterCreator[w]]--
    :: else
    fi
}

/* Ends the creation of a cell, and wakes the waiters one after the other. */
inline endCreation(c, fails) {
    atomic {
        phase[c] = (fails -> idle : made);
        creator[c] = NONE;
        markEnded(c);
        w = 0;
        do
        :: w < WAITERS ->
            isEnded[w] = entered[w] == c + 1;
            if
            :: isEnded[w] -> entered[w] = 0
            :: else
            fi;
            w++
        :: else -> w = 0; break
        od
    }
    do
    :: w < WAITERS ->
        if
        :: isEnded[w] ->
            isEnded[w] = 0;
#ifndef MUTATION_EDGE_REMOVED_LATE
            d_step { removeEdge(w) }
#endif
            atomic { hasFailed[w] = fails; isOpen[w] = 1 }
        :: else
        fi;
        w++
    :: else -> w = 0; break
    od
}

/* Ends one wait of the main thread, so that it looks at the jobs again. */
#ifdef MUTATION_NO_NUDGE_BY_JOB
#define nudgeByJob() last = NONE
#else
#define nudgeByJob() nudge()
#endif
#ifdef MUTATION_NO_NUDGE_BY_WAITER
#define nudgeByWaiter() last = NONE
#else
#define nudgeByWaiter() nudge()
#endif
inline nudge() {
    if
    :: last != NONE -> isNudged[last] = 1; last = NONE
    :: else
    fi
}

#define innermostGate (level > 0 -> THREADS + level - 1 : NONE)

inline selectCell() {
    if
    :: c = 0
    :: c = 1
#if CELLS > 2
    :: c = 2
#endif
#if CELLS > 3
    :: c = 3
#endif
    fi
}

proctype Thread(byte me) {
    /* The claimed cells, the innermost last. */
    byte stack[BUDGET];
    byte depth, c, w, last = NONE;
    bit isFound;
    bit isEnded[WAITERS];

closure:
    /* The closure of the innermost creation, or the top-level resolve. */
    if
    :: depth == 0 && budget[me] == BUDGET -> selectCell(); budget[me]--; goto resolve
    :: depth == 0 && budget[me] < BUDGET -> goto done
    :: depth > 0 && budget[me] > 0 -> selectCell(); budget[me]--; goto resolve
    :: depth > 0 -> goto succeed
    :: depth > 0 -> goto fail
    fi;

resolve:
    atomic {
        if
        :: phase[c] == made -> c = 0; goto closure
#ifdef MUTATION_CLAIM_BEFORE_HOP
        :: phase[c] == idle ->
#else
        :: phase[c] == idle && runsOnMain(c) -> goto post
        :: phase[c] == idle && !runsOnMain(c) ->
#endif
            phase[c] = creation;
            creator[c] = me;
            stack[depth] = c;
            depth++;
#ifdef MUTATION_CLAIM_BEFORE_HOP
            if
            :: runsOnMain(c) -> goto post
            :: else
            fi;
#endif
            c = 0;
            goto closure
        :: phase[c] == creation && creator[c] == me -> goto error
        :: phase[c] == creation && creator[c] != me ->
#ifdef MUTATION_CHECK_NOT_ATOMIC
            if
            :: depth > 0 ->
                searchEdges(creator[c], me);
                if
                :: isFound -> isFound = 0; goto error
                :: else
                fi
            :: else
            fi
        fi
    }
    atomic {
        if
        :: phase[c] != creation || creator[c] == me -> goto resolve
        :: else ->
            if
            :: depth > 0 -> edge[me * NODES + creator[c]]++; enter(me, c, me)
            :: else -> enter(me, c, NONE)
            fi
#elif defined(MUTATION_EDGE_ADDED_LATE)
            if
            :: depth > 0 -> enter(me, c, me)
            :: else -> enter(me, c, NONE)
            fi;
        fi
    }
    atomic {
        if
        :: depth > 0 ->
            begin(me, waiterCreator[me]);
            if
            :: isFound -> isFound = 0; entered[me] = 0; waiterNode[me] = NONE; goto error
            :: else
            fi
        :: else
#else
            if
            :: depth > 0 ->
                begin(me, creator[c]);
                if
                :: isFound -> isFound = 0; goto error
                :: else -> enter(me, c, me)
                fi
            :: else -> enter(me, c, NONE)
            fi
#endif
        fi
    }
    c = 0;
    /* With one more waiter, the main thread may depend on a job that it did not depend on before. */
    atomic {
        w = 0;
        do
        :: w < THREADS ->
            if
            :: job[w] == pending -> last = innermostGate
            :: else
            fi;
            w++
        :: else -> w = 0; break
        od
    }
    nudgeByWaiter();
    isOpen[me];
#ifdef MUTATION_EDGE_REMOVED_LATE
    d_step { removeEdge(me) }
#endif
    atomic {
        waiterNode[me] = NONE;
        isOpen[me] = 0;
        if
        :: hasFailed[me] -> hasFailed[me] = 0; goto error
        :: else -> goto closure
        fi
    }

post:
    atomic { job[me] = pending; jobCell[me] = c; last = innermostGate }
    nudgeByJob();
    if
    :: job[me] == ended
#ifdef DEADLINES
#ifdef MUTATION_GIVES_UP_RUNNING_JOB
    :: job[me] == pending;
        atomic { job[me] = givenUp; c = 0; goto error }
#else
    :: atomic {
            job[me] == pending;
            job[me] = givenUp;
#ifdef MUTATION_CLAIM_BEFORE_HOP
            c = 0;
            goto fail
#else
            c = 0;
            goto error
#endif
        }
#endif
#endif
    fi;
    atomic {
        job[me] = noJob;
#ifdef MUTATION_CLAIM_BEFORE_HOP
        c = 0;
        if
        :: jobResult[me] == failed -> goto fail
        :: else -> goto succeed
        fi
#else
        if
        :: jobResult[me] == busy -> goto resolve
        :: jobResult[me] == failed -> c = 0; goto error
        :: jobResult[me] == succeeded -> c = 0; goto closure
        fi
#endif
    }

error:
    c = 0;
    if
    :: depth > 0 -> goto fail
    :: depth > 0 -> goto closure
    :: depth == 0 -> goto done
    fi;

succeed:
    depth--;
    c = stack[depth];
    stack[depth] = 0;
    endCreation(c, 0);
    c = 0;
    goto closure;

fail:
    depth--;
    c = stack[depth];
    stack[depth] = 0;
    endCreation(c, 1);
    c = 0;
    goto error;

done:
    finished++
}

#define DEPTH (NODES * BUDGET + LEVELS + THREADS)

inline push(k, v, n) {
    kind[depth] = k;
    value[depth] = v;
    node[depth] = n;
    depth++
}

inline pop() {
    depth--;
    kind[depth] = 0;
    value[depth] = 0;
    node[depth] = 0
}

#define top (depth - 1)

proctype MainThread() {
    /* Creations (cell, node), waits (waiter, node or NONE), and jobs (thread, node below that stands still, or NONE). */
    mtype kind[DEPTH];
    byte value[DEPTH];
    byte node[DEPTH];
    byte depth, c, w, n, j, last = NONE;
    bit isFound, fails, hasStarted;
    bit isEnded[WAITERS];

next:
    if
    :: depth == 0 && finished == THREADS && hasStarted -> goto done
    :: depth == 0 && !hasStarted -> hasStarted = 1; selectCell(); budget[MAIN]--; n = NONE; goto resolve
    /* The run loop performs any job. */
    :: depth == 0 && job[0] == pending -> j = 0; n = NONE; goto perform
#if THREADS > 1
    :: depth == 0 && job[1] == pending -> j = 1; n = NONE; goto perform
#endif
#if THREADS > 2
    :: depth == 0 && job[2] == pending -> j = 2; n = NONE; goto perform
#endif
    :: depth > 0 && kind[top] == creates ->
        n = node[top];
        if
        :: budget[n] > 0 -> selectCell(); budget[n]--; goto resolve
        :: fails = 0; goto settle
        :: fails = 1; goto settle
#ifdef RUN_LOOPS
        /* The closure runs a run loop of its own. */
        :: atomic { job[0] == pending; j = 0; goto perform }
#if THREADS > 1
        :: atomic { job[1] == pending; j = 1; goto perform }
#endif
#endif
        fi
    :: depth > 0 && kind[top] == waits -> goto wait
    fi;

resolve:
    /* For node n, or for none. */
    atomic {
        if
        :: phase[c] == made -> c = 0; n = 0; goto next
        :: phase[c] == idle ->
            phase[c] = creation;
            creator[c] = (n == NONE -> MAIN : n);
            markBegun(c);
            push(creates, c, creator[c]);
            c = 0;
            n = 0;
            goto next
        :: phase[c] == creation && creator[c] == n -> c = 0; n = 0; fails = 1; goto caught
        :: phase[c] == creation && creator[c] != n && level < LEVELS ->
            if
            :: n != NONE ->
                begin(n, creator[c]);
                if
                :: isFound -> isFound = 0; c = 0; n = 0; fails = 1; goto caught
                :: else -> enter(THREADS + level, c, n)
                fi
            :: else -> enter(THREADS + level, c, NONE)
            fi;
            push(waits, THREADS + level, n)
        /* Beyond the bounds of the model. */
        :: phase[c] == creation && creator[c] != n && level == LEVELS -> c = 0; n = 0; fails = 1; goto caught
        fi
    }
    atomic { level++; c = 0; n = 0; goto next }

wait:
    /* Looks for a job that the wait depends on, and otherwise waits at the gate. */
    w = value[top];
#ifndef MUTATION_MAIN_RUNS_NO_JOBS
    j = 0;
    do
    :: j < THREADS ->
        atomic {
            if
            :: job[j] == pending ->
                searchEdges(waiterCreator[w], j);
                if
                :: isFound -> isFound = 0; n = node[top]; w = 0; goto perform
                :: else
                fi
            :: else
            fi;
            j++
        }
    :: else -> j = 0; break
    od;
#endif
    if
    :: atomic {
            isOpen[w];
            fails = hasFailed[w];
            isOpen[w] = 0;
            hasFailed[w] = 0;
            isNudged[w] = 0
        }
#ifdef MUTATION_EDGE_REMOVED_LATE
        d_step { removeEdge(w) }
#endif
        waiterNode[w] = NONE;
        w = 0;
        atomic { level--; pop() }
        if
        :: fails -> goto caught
        :: else -> goto next
        fi
    :: atomic { !isOpen[w] && isNudged[w]; isNudged[w] = 0; w = 0; goto wait }
    fi;

perform:
    /* Job j, which node n stands still for. */
    atomic {
        if
        :: job[j] == pending -> job[j] = running
        :: else -> j = 0; n = 0; goto next
        fi;
        c = jobCell[j];
#ifdef MUTATION_NO_EDGE_FOR_JOB
        if
        :: n != NONE -> standsStill[n * NODES + j]++; push(performs, j, n)
        :: else -> push(performs, j, NONE)
        fi;
#else
        if
        :: n != NONE ->
            standsStill[n * NODES + j]++;
            begin(n, j);
            assert(!isFound);
            push(performs, j, n)
        :: else -> push(performs, j, NONE)
        fi;
#endif
        n = 0
    }
    /* The body of the job. */
    atomic {
#ifdef MUTATION_CLAIM_BEFORE_HOP
        markBegun(c);
        push(creates, c, j);
        c = 0;
        j = 0;
        goto next
#else
        if
        :: phase[c] == made -> jobResult[j] = succeeded
        :: phase[c] == creation ->
#ifdef MUTATION_JOB_WAITS
            if
            :: level < LEVELS -> enter(THREADS + level, c, NONE); push(waits, THREADS + level, NONE); level++; c = 0; j = 0; goto next
            :: else
            fi;
#endif
            jobResult[j] = busy
        :: phase[c] == idle ->
            phase[c] = creation;
            creator[c] = j;
            markBegun(c);
            push(creates, c, j);
            c = 0;
            j = 0;
            goto next
        fi;
        c = 0
#endif
    }

finishJob:
    /* Job j, at the top of the stack. */
    atomic {
        j = value[top];
        n = node[top];
        if
        :: n != NONE ->
            standsStill[n * NODES + j]--;
#ifndef MUTATION_NO_EDGE_FOR_JOB
            edge[n * NODES + j]--
#endif
        :: else
        fi;
        pop();
        n = 0
    }
    atomic {
        /* Its thread waits for it. */
        assert(job[j] == running);
        job[j] = ended;
        j = 0;
        goto next
    }

settle:
    /* Ends the creation at the top of the stack. */
    c = value[top];
    n = 0;
#ifdef MUTATION_CLAIM_BEFORE_HOP
    if
    :: top > 0 && kind[top - 1] == performs -> skip
    :: else -> endCreation(c, fails)
    fi;
#else
    endCreation(c, fails);
#endif
    atomic { c = 0; pop() }
    if
    :: depth > 0 && kind[top] == performs ->
        jobResult[value[top]] = (fails -> failed : succeeded);
        fails = 0;
        goto finishJob
    :: else ->
        if
        :: fails -> goto caught
        :: else -> goto next
        fi
    fi;

caught:
    /* A failed resolve, whose closure fails, too, or catches the error. */
    if
    :: depth == 0 -> fails = 0; goto next
    :: depth > 0 && kind[top] == creates -> fails = 1; goto settle
    :: depth > 0 && kind[top] == creates -> fails = 0; goto next
#ifdef MUTATION_JOB_WAITS
    :: depth > 0 && kind[top] == performs -> jobResult[value[top]] = busy; fails = 0; goto finishJob
#endif
    fi;

done:
    skip
}

init {
    byte t;
    atomic {
        do
        :: t < THREADS -> run Thread(t); t++
        :: else -> t = 0; break
        od;
#ifndef NO_MAIN_THREAD
        run MainThread()
#endif
    }
}
