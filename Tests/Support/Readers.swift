internal import Foundation
internal import Injectle

/// Blocks until no reader delays the release of an object. Other tests run readers at the same time, and a thread that is
/// preempted while it reads delays the release of removed instances.
public func awaitReaders() {
    while Reclaimer.isDelaying {
        // A write releases what readers no longer delay.
        Locator().register(.eager(0)).remove()
        sched_yield()
    }
}
