/// Identifies one watch of a descriptor, also after it ended and the number of the descriptor is in
/// use again.
package struct Watch: Hashable, Sendable {
    let descriptor: Int32
    let generation: UInt32

    /// What the kernel stores and returns with each event.
    var data: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)) }

    init(descriptor: Int32, generation: UInt32) {
        self.descriptor = descriptor
        self.generation = generation
    }

    init(data: UInt64) {
        descriptor = Int32(truncatingIfNeeded: data)
        generation = UInt32(truncatingIfNeeded: data >> 32)
    }
}

/// The handlers of watched descriptors. It is a pure value: the kernel's list is kept elsewhere.
struct WatcherTable {
    struct Entry {
        var handler: (any EventHandler)?
        var generation: UInt32 = 0
        var interest: Interest = []
        var isToldToDrain = false
    }

    /// The index is the descriptor, a number that the kernel keeps small.
    private var entries: [Entry] = []
    private(set) var count = 0
    /// All entries below it were asked to drain.
    private var drained = 0

    /// Traps if the descriptor is still watched: it was closed without `unwatch`, and its events
    /// would reach the wrong handler.
    mutating func add(
        _ descriptor: Int32, _ interest: Interest, _ handler: any EventHandler
    ) -> Watch {
        let index = Int(descriptor)
        while entries.count <= index { entries.append(Entry()) }
        precondition(entries[index].handler == nil, "a descriptor was closed while it was watched")
        entries[index].handler = handler
        entries[index].interest = interest
        entries[index].isToldToDrain = false
        drained = min(drained, index)
        count += 1
        return Watch(descriptor: descriptor, generation: entries[index].generation)
    }

    /// Nil if the watch has ended, so that a late event is dropped.
    func entry(_ watch: Watch) -> Entry? {
        let index = Int(watch.descriptor)
        guard index >= 0, index < entries.count, entries[index].generation == watch.generation
        else { return nil }
        return entries[index]
    }

    mutating func setInterest(_ interest: Interest, of watch: Watch) {
        entries[Int(watch.descriptor)].interest = interest
    }

    /// Returns the handler; the caller frees it when no call is under way.
    mutating func remove(_ watch: Watch) -> (any EventHandler)? {
        guard entry(watch) != nil else { return nil }
        count -= 1
        entries[Int(watch.descriptor)].generation &+= 1
        return entries[Int(watch.descriptor)].handler.take()
    }

    /// Whether every handler was asked to drain.
    var areAllDraining: Bool { drained == entries.count }

    /// A handler that was not asked to drain yet; nil if there is none.
    mutating func nextToDrain() -> (any EventHandler)? {
        while drained < entries.count {
            let index = drained
            drained += 1
            if let handler = entries[index].handler, !entries[index].isToldToDrain {
                entries[index].isToldToDrain = true
                return handler
            }
        }
        return nil
    }

    var watches: [Watch] {
        entries.enumerated().filter { $0.element.handler != nil }.map {
            Watch(descriptor: Int32($0.offset), generation: $0.element.generation)
        }
    }
}
