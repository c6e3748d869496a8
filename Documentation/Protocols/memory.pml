/* Memory of a machine with store buffers (total store order, as on x86).
 *
 * A store waits in a first-in, first-out buffer of its thread until the process `Memory` moves it to memory. A load
 * returns the thread's own latest store to the word if the buffer has one, and the word in memory otherwise. A fence and
 * the acquisition of a mutex wait until the buffer is empty; the release of a mutex is a store.
 *
 * With RELAXED, stores to different words can leave the buffer in any order, except that a release store leaves it after
 * all earlier stores, as on ARM.
 *
 * The including file defines WORDS and THREADS, and `me` in each process.
 */

#ifndef CAPACITY
#define CAPACITY 3
#endif

typedef Buffer {
    byte count;
    byte word[CAPACITY];
    byte value[CAPACITY];
    bit releases[CAPACITY]
}

byte memory[WORDS];
hidden byte slot;
Buffer buffer[THREADS];

inline append(a, v, isRelease) {
    atomic {
        buffer[me].count < CAPACITY;
        d_step {
            buffer[me].word[buffer[me].count] = a;
            buffer[me].value[buffer[me].count] = v;
            buffer[me].releases[buffer[me].count] = isRelease;
            buffer[me].count++
        }
    }
}

#define STORE(a, v) append(a, v, 0)
#define STORE_RELEASE(a, v) append(a, v, 1)

/* Part of a larger step: the caller encloses it in `atomic` or `d_step`. */
inline peek(a, result) {
    result = memory[a];
    slot = 0;
    do
    :: slot < buffer[me].count ->
        if
        :: buffer[me].word[slot] == (a) -> result = buffer[me].value[slot]
        :: else
        fi;
        slot++
    :: else -> break
    od;
    slot = 0
}

inline LOAD(a, result) { d_step { peek(a, result) } }

#define FENCE (buffer[me].count == 0)

inline remove(owner, place) {
    memory[buffer[owner].word[place]] = buffer[owner].value[place];
    slot = place + 1;
    do
    :: slot < buffer[owner].count ->
        buffer[owner].word[slot - 1] = buffer[owner].word[slot];
        buffer[owner].value[slot - 1] = buffer[owner].value[slot];
        buffer[owner].releases[slot - 1] = buffer[owner].releases[slot];
        slot++
    :: else -> break
    od;
    buffer[owner].count--;
    buffer[owner].word[buffer[owner].count] = 0;
    buffer[owner].value[buffer[owner].count] = 0;
    buffer[owner].releases[buffer[owner].count] = 0;
    slot = 0
}

/* Empties the buffer of a thread: what an interrupt with a full barrier does. */
inline drain(owner) {
    d_step {
        do
        :: buffer[owner].count > 0 -> remove(owner, 0)
        :: else -> break
        od
    }
}

/* A mutex whose release is a store: its critical section stores words that readers load. */
inline acquire(mutex) { atomic { FENCE && memory[mutex] == 0; memory[mutex] = 1 } }
#define RELEASE(mutex) STORE_RELEASE(mutex, 0)

/* A mutex whose critical section uses only data that the mutex guards is one step: other threads see it before or after. */
#define LOCKED(mutex) FENCE && memory[mutex] == 0

#define overtakes(t, i, j) (buffer[t].word[i] != buffer[t].word[j])

active proctype Memory() {
    byte t;
end:
    do
    :: d_step { buffer[0].count > 0 -> remove(0, 0) }
#if THREADS > 1
    :: d_step { buffer[1].count > 0 -> remove(1, 0) }
#endif
#if THREADS > 2
    :: d_step { buffer[2].count > 0 -> remove(2, 0) }
#endif
#if THREADS > 3
    :: d_step { buffer[3].count > 0 -> remove(3, 0) }
#endif
#ifdef RELAXED
    :: atomic {
        select (t : 0 .. THREADS - 1);
        if
        :: d_step { buffer[t].count > 1 && !buffer[t].releases[1] && overtakes(t, 1, 0) -> remove(t, 1) }
        :: d_step {
            buffer[t].count > 2 && !buffer[t].releases[2] && overtakes(t, 2, 0) && overtakes(t, 2, 1) -> remove(t, 2)
        }
        :: else
        fi;
        t = 0
    }
#endif
    od
}
