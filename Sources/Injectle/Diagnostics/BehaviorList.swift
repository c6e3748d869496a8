internal import CInjectle

/// The behaviors of one locator, in order. It is immutable: a change replaces it, and retires the former one.
@safe
final class BehaviorList: Sendable {
    /// An object, so that calling a behavior copies none.
    final class Element: Sendable {
        let number: Int
        let behavior: any Locator.Behavior
        let kinds: EventKinds
        let observesDescendants: Bool
        /// The address of the behavior's type.
        let type: UInt

        init(number: Int, behavior: any Locator.Behavior, kinds: EventKinds, observesDescendants: Bool) {
            (self.number, self.behavior, self.kinds) = (number, behavior, kinds)
            self.observesDescendants = observesDescendants
            type = EventDispatch.address(of: Swift.type(of: behavior))
        }

        /// The same without some kinds, or this one if it has none of them.
        func without(_ kinds: EventKinds) -> Element {
            if self.kinds.isDisjoint(with: kinds) { return self }
            return Element(
                number: number,
                behavior: behavior,
                kinds: self.kinds.subtracting(kinds),
                observesDescendants: observesDescendants
            )
        }

        /// Calls the behavior if it observes an event.
        @inline(never)
        func receive(
            _ event: Locator.Event,
            isOfDescendant: Bool,
            on thread: UnsafeMutablePointer<injectle_thread>
        ) -> Reception {
            guard kinds.contains(event.kind), !isOfDescendant || observesDescendants else { return .none }
            return unsafe EventDispatch.deliver(event, to: behavior, of: type, on: thread) ? .received : .ignored
        }
    }

    /// How a behavior has received an event.
    enum Reception {
        case none, received
        /// Its function for the kind is the default one.
        case ignored
    }

    let elements: [Element]
    // Sound to share: it never changes, and ends with the list, which retains the elements.
    /// The same, to be called without a retain of an element or of the array.
    nonisolated(unsafe) private let unmanaged: UnsafeMutableBufferPointer<Unmanaged<Element>>
    /// The kinds of the locator's own events, and of its descendants' events, that any behavior observes.
    let kinds: EventKinds
    let kindsOfDescendants: EventKinds

    init(_ elements: [Element]) {
        self.elements = elements
        unsafe unmanaged = .allocate(capacity: elements.count)
        _ = unsafe unmanaged.initialize(from: elements.map { unsafe .passUnretained($0) })
        kinds = elements.reduce(into: []) { $0.formUnion($1.kinds) }
        kindsOfDescendants = elements.reduce(into: []) { if $1.observesDescendants { $0.formUnion($1.kinds) } }
    }

    deinit { unsafe unmanaged.deallocate() }

    /// The behaviors of a locator. Nil if it has none.
    @inline(__always)
    static func load(from header: UnsafeMutablePointer<LocatorHeader>) -> BehaviorList? {
        if unsafe injectle_load(&header.pointee.behaviors) == nil { return nil }
        return withReadSection {
            unsafe loadUnretained(from: header)?.takeUnretainedValue()
        }
    }

    /// Shows readers the behaviors of a locator, which retains them. The lock of its core is held.
    static func store(_ list: BehaviorList?, in header: UnsafeMutablePointer<LocatorHeader>) {
        unsafe injectle_store(&header.pointee.behaviors, list.map { unsafe Unmanaged.passUnretained($0).toOpaque() })
    }

    /// The behaviors of a locator, without a retain: called inside a read section.
    @inline(__always)
    static func loadUnretained(from header: UnsafeMutablePointer<LocatorHeader>) -> Unmanaged<BehaviorList>? {
        unsafe injectle_load(&header.pointee.behaviors).map { unsafe .fromOpaque($0) }
    }

    /// Calls the behaviors of a list that observe an event, and `note` with the reception and the behavior. Inlined, since
    /// a closure that is not would copy the event.
    @inline(__always)
    static func send(
        _ event: Locator.Event,
        to list: Unmanaged<BehaviorList>,
        isOfDescendant: Bool,
        on thread: UnsafeMutablePointer<injectle_thread>,
        _ note: (Reception, Element) -> Void
    ) {
        let elements = unsafe list._withUnsafeGuaranteedRef { unsafe $0.unmanaged }
        for index in elements.indices {
            unsafe elements[index]._withUnsafeGuaranteedRef { element in
                note(unsafe element.receive(event, isOfDescendant: isOfDescendant, on: thread), element)
            }
        }
    }
}

/// The behaviors of a locator, and then of its ancestors, which receive an event.
///
/// The thread holds the lists without a retain, so that threads that send events write no common word.
@safe
struct LoadedBehaviors: ~Copyable {
    private let thread: UnsafeMutablePointer<injectle_thread>
    private var own: Unmanaged<BehaviorList>?
    private var inherited: Unmanaged<BehaviorList>?
    private var holds = 0
    /// Whether a behavior has received the event by a function of its own.
    private(set) var isReceived = false
    private var rareParts: Unmanaged<RareParts>?

    /// What few events have, in one object. `release` ends it, so that the others release nothing.
    @safe
    private final class RareParts {
        /// The lists of further ancestors.
        var others: [Unmanaged<BehaviorList>] = unsafe []
        /// The lists that the thread could not hold, since it holds too many objects.
        var retained: [BehaviorList] = []
        var ignoring: [UInt] = []
    }

    /// Not inlined, so that what most events need saves no registers for it.
    @inline(never)
    private mutating func changeRareParts(_ change: (RareParts) -> Void) {
        let parts = unsafe rareParts ?? .passRetained(RareParts())
        unsafe rareParts = unsafe parts
        unsafe parts._withUnsafeGuaranteedRef(change)
    }

    init(on thread: UnsafeMutablePointer<injectle_thread>) { unsafe self.thread = unsafe thread }

    var isEmpty: Bool { unsafe own == nil && inherited == nil }

    /// The types of the behaviors whose function for the event is the default one. Nil if there are none.
    var ignoring: [UInt]? {
        guard let rareParts = unsafe rareParts else { return nil }
        let ignoring = unsafe rareParts._withUnsafeGuaranteedRef(\.ignoring)
        return ignoring.isEmpty ? nil : ignoring
    }

    mutating func load(from header: UnsafeMutablePointer<LocatorHeader>) {
        unsafe own = unsafe hold(of: header)
        var next = unsafe header.pointee.parent
        while let header = unsafe next {
            if let list = unsafe hold(of: header) {
                if unsafe inherited == nil {
                    unsafe inherited = unsafe list
                } else {
                    changeRareParts { unsafe $0.others.append(list) }
                }
            }
            unsafe next = header.pointee.parent
        }
    }

    @inline(__always)
    private mutating func hold(of header: UnsafeMutablePointer<LocatorHeader>) -> Unmanaged<BehaviorList>? {
        unsafe injectle_load(&header.pointee.behaviors) == nil ? nil : holdLoaded(from: header)
    }

    @inline(never)
    private mutating func holdLoaded(from header: UnsafeMutablePointer<LocatorHeader>) -> Unmanaged<BehaviorList>? {
        unsafe injectle_enter_on(thread)
        defer { unsafe injectle_leave(thread) }
        guard let list = unsafe BehaviorList.loadUnretained(from: header) else { return nil }
        if unsafe injectle_can_hold(thread) {
            unsafe injectle_hold(thread, list.toOpaque())
            holds += 1
        } else {
            changeRareParts { unsafe $0.retained.append(list.takeUnretainedValue()) }
        }
        return unsafe list
    }

    mutating func send(_ event: Locator.Event) {
        if let own = unsafe own { unsafe send(event, to: own, isOfDescendant: false) }
        if let inherited = unsafe inherited { unsafe send(event, to: inherited, isOfDescendant: true) }
        guard let others = unsafe rareParts?._withUnsafeGuaranteedRef({ unsafe $0.others }) else { return }
        for index in unsafe others.indices { unsafe send(event, to: others[index], isOfDescendant: true) }
    }

    @inline(__always)
    private mutating func send(_ event: Locator.Event, to list: Unmanaged<BehaviorList>, isOfDescendant: Bool) {
        unsafe BehaviorList.send(event, to: list, isOfDescendant: isOfDescendant, on: thread) { reception, element in
            switch reception {
            case .none: break
            case .received: isReceived = true
            case .ignored: changeRareParts { $0.ignoring.append(element.type) }
            }
        }
    }

    mutating func release() {
        while holds > 0 {
            holds -= 1
            if unsafe injectle_release_hold(thread) { Reclaimer.releaseHeld() }
        }
        if let rareParts = unsafe rareParts { unsafe rareParts.release() }
    }
}
