/* Children that end while a registration of their parent is removed.
 *
 * Models `LocatorCore.end` (Locator/LocatorCore+Children), `RegistrationRecord.dropCachedInstances`, and `ScopedCache` as
 * far as it has cells of a lifetime per locator. The cells do not retain the record of their registration; its entry does.
 *
 * Requests are children. Each creates a cell, unless the registration is withdrawn, and ends. The remover takes the
 * entry from the table, withdraws the registration, drops the cells of the children that it finds in the list, or makes
 * them retain the record, and retires the entry. That is freed once the readers that were in a section then have left
 * it, and releases the record. A visitor, such as a change of behaviors, retains a child that it finds for a while.
 *
 * What a lock guards is one step. Other stores have the order of the program: reclamation.pml models the sections and
 * grace periods for weaker memory.
 *
 * Properties, as assertions: nobody uses the freed record; once all have ended, it is freed, and no child is listed.
 */

#ifndef CHILDREN
#define CHILDREN 2
#endif

bit isInTable = 1;
bit isWithdrawn;
/* One reference of the entry, and one of each cell that retains the record. */
byte recordReferences = 1;
bit isFreed;

bit isListed[CHILDREN];
bit hasCell[CHILDREN];
bit cellRetains[CHILDREN];
/* Whether the remover, or the visitor, has retained the child, which it has found in the list. */
bit isFound[CHILDREN];
bit isVisited[CHILDREN];
bit isReading[CHILDREN];
/* The sections that have ended, and the one in which the child was at the beginning of the grace period, plus 1. */
byte section[CHILDREN];
byte recorded[CHILDREN];
byte ended;
bit isRemoved;

inline useRecord() { assert(!isFreed) }

inline releaseRecord() {
    recordReferences--;
    if
    :: recordReferences == 0 -> assert(!isFreed); isFreed = 1
    :: else
    fi
}

/* Under the lock of the cache. */
inline retainRecord(child) {
    if
    :: hasCell[child] && !cellRetains[child] -> useRecord(); cellRetains[child] = 1; recordReferences++
    :: else
    fi
}

/* Under the lock of the cache. Uses the record: its disposers, and its list of caches. */
inline dropCell(child) {
    if
    :: hasCell[child] ->
        useRecord();
        hasCell[child] = 0;
        if
        :: cellRetains[child] -> cellRetains[child] = 0; releaseRecord()
        :: else
        fi
    :: else
    fi
}

inline enterSection() {
#ifndef MUTATION_NO_SECTION
    isReading[me] = 1
#else
    skip
#endif
}

inline leaveSection() { d_step { isReading[me] = 0; section[me]++ } }

/* Under the lock of the cache, in a section, with the lock of the parent's list. */
inline createCell() {
    isReading[me] = 1;
    if
    :: isInTable ->
        atomic {
            useRecord();
            if
#ifdef MUTATION_NO_WITHDRAWAL
            :: true -> hasCell[me] = 1
#else
            :: !isWithdrawn -> hasCell[me] = 1
            :: else
#endif
            fi
        }
    :: else
    fi;
    leaveSection()
}

proctype Child(byte me) {
    bit isAlone;
    createCell();
#ifdef MUTATION_LEAVE_BEFORE_SECTION
    isListed[me] = 0;
#endif
    enterSection();
    isListed[me] = 0;
    /* Nobody finds it any more. */
    isAlone = !isFound[me] && !isVisited[me];
    if
    :: isAlone ->
        atomic { dropCell(me) };
        leaveSection()
    :: else ->
#ifndef MUTATION_NO_RETAIN
        atomic { retainRecord(me) };
#endif
        leaveSection();
        /* The hooks of instances run here. */
        atomic { dropCell(me) }
    fi;
    ended++
}

proctype Remover() {
    byte i;
    /* Under the lock of the core. */
    isInTable = 0;
    isWithdrawn = 1;
    /* Under the locks of the parts of the list. */
    i = 0;
    do
    :: i < CHILDREN ->
        atomic {
            if
            :: isListed[i] -> isFound[i] = 1
            :: else
            fi
        };
        i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < CHILDREN ->
        atomic {
            if
#ifndef MUTATION_NO_DROP
            :: isFound[i] -> dropCell(i)
            :: isFound[i] -> retainRecord(i)
#endif
            :: else
            fi
        };
        isFound[i] = 0;
        i++
    :: else -> break
    od;
    /* The grace period. */
    atomic {
        i = 0;
        do
        :: i < CHILDREN -> recorded[i] = (isReading[i] -> section[i] + 1 : 0); i++
        :: else -> break
        od;
        i = 0
    }
    do
    :: i < CHILDREN ->
        (recorded[i] == 0 || section[i] >= recorded[i]);
        i++
    :: else -> break
    od;
    atomic { releaseRecord() }
    isRemoved = 1
}

proctype Visitor() {
    byte i;
    select (i : 0 .. CHILDREN - 1);
    atomic {
        if
        :: isListed[i] -> isVisited[i] = 1
        :: else
        fi
    };
    isVisited[i] = 0
}

init {
    byte n;
    atomic {
        n = 0;
        do
        :: n < CHILDREN -> isListed[n] = 1; run Child(n); n++
        :: else -> break
        od;
        run Remover();
        run Visitor()
    }
    (ended == CHILDREN && isRemoved);
    assert(isFreed);
    n = 0;
    do
    :: n < CHILDREN -> assert(!isListed[n] && !hasCell[n]); n++
    :: else -> break
    od
}
