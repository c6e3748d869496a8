internal import CInjectle

/// The first graph instances of a resolve: values in a block of memory, which the thread uses again for the next resolve.
///
/// Most resolves create one or two graph instances, for which the objects and the lock of a `ScopedCache` are not needed:
/// only the thread that runs a chain of frames uses the block of its outermost frame.
///
/// Invariant: the first `count` slots have a value each, of a registration that the locator of the outermost frame found.
/// The registering locator and the serial identify it, since a record can be freed before the resolve ends, and that locator
/// cannot: the frame retains it or a descendant. An instance is in the block or in a `ScopedCache`, and never in both.
@safe
struct GraphBlock {
    let memory: UnsafeMutableRawPointer

    /// Without the value, which follows it.
    private struct Slot {
        /// The address of the registering locator.
        let registrant: UInt
        let serial: Int32
        let type: Any.Type
    }

    private static let capacity = 4
    private static let headSize = 16
    private static let valueSize = 48
    private static let slotSize = MemoryLayout<Slot>.stride + valueSize

    /// The block that a frame refers to.
    init(_ memory: UnsafeMutableRawPointer) { unsafe self.memory = unsafe memory }

    /// An empty block: the last one of the thread, or a new one.
    init(on thread: UnsafeMutablePointer<injectle_thread>) {
        unsafe memory =
            thread.pointee.graph_block
            ?? injectle_allocate(GraphBlock.headSize + GraphBlock.slotSize * GraphBlock.capacity, 16)
        unsafe thread.pointee.graph_block = nil
        unsafe memory.initializeMemory(as: Int.self, to: 0)
    }

    /// Releases the instances, the last one first, and leaves the block to the thread.
    func end(on thread: UnsafeMutablePointer<injectle_thread>) {
        var rest = count
        while rest > 0 {
            rest &-= 1
            unsafe destroyValue(at: value(rest), of: slot(rest).type)
        }
        if unsafe thread.pointee.graph_block == nil {
            unsafe thread.pointee.graph_block = unsafe memory
        } else {
            unsafe injectle_free(memory)
        }
    }

    private(set) var count: Int {
        get { unsafe memory.load(as: Int.self) }
        nonmutating set { unsafe memory.storeBytes(of: newValue, as: Int.self) }
    }

    private func address(_ position: Int) -> UnsafeMutableRawPointer {
        unsafe memory + GraphBlock.headSize + position &* GraphBlock.slotSize
    }

    private func slot(_ position: Int) -> Slot { unsafe address(position).load(as: Slot.self) }

    private func value(_ position: Int) -> UnsafeMutableRawPointer {
        unsafe address(position) + MemoryLayout<Slot>.stride
    }

    private func position(of serial: Int32, _ registrant: UnsafeMutableRawPointer) -> Int? {
        (0..<count).first {
            let slot = slot($0)
            return slot.serial == serial && slot.registrant == UInt(bitPattern: registrant)
        }
    }

    /// The value of an entry's registration, or nil.
    func value(of entry: UnsafeMutablePointer<EntryHeader>) -> UnsafeMutableRawPointer? {
        let serial = unsafe entry.pointee.record._withUnsafeGuaranteedRef { $0.serial }
        return unsafe position(of: serial, entry.pointee.core.toOpaque()).map { unsafe value($0) }
    }

    /// Adds a copy of the value of an entry's registration, which has none here. Returns false if the block is full, or the
    /// value too large.
    func add(_ source: UnsafeRawPointer, of entry: UnsafeMutablePointer<EntryHeader>) -> Bool {
        let position = count
        let type = unsafe entry.pointee.identity.type
        guard position < GraphBlock.capacity, unsafe copy(source, to: value(position), of: type) else { return false }
        let serial = unsafe entry.pointee.record._withUnsafeGuaranteedRef { $0.serial }
        let slot = unsafe Slot(registrant: UInt(bitPattern: entry.pointee.core.toOpaque()), serial: serial, type: type)
        unsafe address(position).initializeMemory(as: Slot.self, to: slot)
        count = position + 1
        return true
    }

    /// Initializes a value. Returns false if there is too little room.
    @inline(__always)
    private func copy(_ source: UnsafeRawPointer, to value: UnsafeMutableRawPointer, of type: Any.Type) -> Bool {
        func open<Service>(_: Service.Type) -> Bool {
            guard MemoryLayout<Service>.size <= GraphBlock.valueSize,
                MemoryLayout<Service>.alignment <= MemoryLayout<UInt>.alignment
            else { return false }
            unsafe value.initializeMemory(as: Service.self, to: source.assumingMemoryBound(to: Service.self).pointee)
            return true
        }
        return unsafe copyObject(from: source, to: value, of: type) || _openExistential(type, do: open)
    }

    /// Removes the instance of an entry's registration, for another cache. Nil if there is none.
    func remove(_ entry: Entry) -> Instance? {
        let registrant = unsafe Unmanaged.passUnretained(entry.core).toOpaque()
        guard let position = unsafe position(of: entry.record.serial, registrant) else { return nil }
        func take<Service>(_: Service.Type) -> Instance {
            unsafe Instance.make(value(position).assumingMemoryBound(to: Service.self).move())
        }
        let instance = _openExistential(slot(position).type, do: take)
        let last = count - 1
        if position < last { unsafe address(position).copyMemory(from: address(last), byteCount: GraphBlock.slotSize) }
        count = last
        return instance
    }
}
