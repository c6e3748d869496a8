internal import CInjectle

extension Ending {
    /// Ends cells at once, or as far as the calling thread can. A task does the rest.
    ///
    /// - Parameter end: Ends cells, and adds those with an instance. A closure, so that no caller retains them. Returns
    ///   the ending for which closes of the locators wait, if there are disposers.
    static func endNow(_ end: (inout [EndingItem]) -> Ending?) {
        var items: [EndingItem] = []
        guard let ending = end(&items) else {
            if !items.isEmpty { endHere(&items, nil) }
            return
        }
        ending.perform { endHere(&items, ending) }
    }

    private static func endHere(_ items: inout [EndingItem], _ ending: Ending?) {
        items.sortByCreation()
        var undisposed = items.count
        // Disposers and a `deinit` can begin endings within endings, to any depth. A task has a stack of its own.
        if !injectle_stack_is_short() {
            undisposed = items.disposeHere()
            items.releaseHere(downTo: undisposed)
        }
        if !items.isEmpty {
            let ending = ending ?? add(to: items.map(\.core))
            ending.setRest(&items, undisposed: undisposed)
            ending.leaveRestToTask()
        } else if let ending {
            ending.end()
            ending.decide(nil)
        }
    }
}
