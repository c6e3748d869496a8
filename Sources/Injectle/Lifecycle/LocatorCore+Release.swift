// The handles of a locator, which ends with the last one.

extension LocatorCore {
    /// A locator with this core. Nil once the last one was released.
    var handle: Locator? {
        if self === LocatorCore.processCore { return .unbound }
        let isAlive = state.withLock { state in
            if state.handles > 0 { state.handles += 1 }
            return state.handles > 0
        }
        return isAlive ? Locator(self) : nil
    }

    /// Releases a handle of a core, and ends the core with the last one, and then the ancestors that only it has
    /// retained.
    static func releaseHandle(of core: LocatorCore) {
        var core = core
        // One after the other, since a long chain would overflow the stack.
        while core.dropHandle() {
            // A close in progress ends it, in its order.
            guard core.endLocator(by: .release) else { return }
            guard let parent = core.leaveParent() else { return }
            core = parent
        }
    }

    /// Returns whether it was the last handle.
    private func dropHandle() -> Bool {
        state.withLock { state in
            state.handles -= 1
            return state.handles == 0
        }
    }

    /// Completes the release of a core that was left to a close, which has ended.
    func completeRelease() {
        let isLeft = state.withLock { state in
            guard state.extras?.isLeftToClose == true else { return false }
            state.extras?.isLeftToClose = false
            return true
        }
        if isLeft, let parent = leaveParent() { LocatorCore.releaseHandle(of: parent) }
    }

    /// Removes a core that has ended from its parent, of which it may need services until its instances are released.
    /// Returns the parent if the caller has to release its handle.
    private func leaveParent() -> LocatorCore? {
        guard let parent else { return nil }
        let endingsInProgress = endingsInProgress
        let mustWait = hasCreationsInProgress
        if endingsInProgress.isEmpty, !mustWait {
            parent.remove(child: self)
            return retainsParentLocator ? parent : nil
        }
        Task {
            if mustWait { await waitForCreations() }
            for rest in endingsInProgress { await rest.wait() }
            if let parent = leaveParent() { LocatorCore.releaseHandle(of: parent) }
        }
        return nil
    }

    /// Whether it creates instances, or has graph instances of resolves in progress, which a close of an ancestor ends.
    /// A close that has ended has left them behind.
    private var hasCreationsInProgress: Bool {
        let isCreating = state.withLock { state in
            guard let extras = state.extras else { return false }
            return !extras.lateCreations.isEmpty || !extras.graphs.isEmpty
        }
        return isCreating && state.withLock { $0.closing }?.isInProgress != false
    }

    private func waitForCreations() async {
        let observer = addObserver()
        defer { removeObserver(observer) }
        for await _ in observer.stream where !hasCreationsInProgress { return }
    }

    /// Removes a child, whose place the last one gets.
    private func remove(child: LocatorCore) {
        state.withLock { state in
            let position = child.state.withLock { $0.position }
            guard let last = state.children.popLast(), last !== child else { return }
            state.children[position] = last
            last.state.withLock { $0.position = position }
        }
    }
}
