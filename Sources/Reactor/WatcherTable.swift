/// Names one registration of a descriptor; after that ended it names nothing, even when the
/// number of the descriptor is in use again.
package struct Watch: Hashable, Sendable {
    let descriptor: Int32
    let generation: UInt32

    /// What goes through the kernel and comes back with an event.
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

/// Who is told about which descriptor. Pure: the kernel's own table is kept in step elsewhere.
struct WatcherTable {
    struct Entry {
        var handler: (any EventHandler)?
        var generation: UInt32 = 0
        var interest: Interest = []
        var isToldToDrain = false
    }

    /// The index is the number of the descriptor, which the kernel keeps small.
    private var entries: [Entry] = []
    private(set) var count = 0
    /// Below it all have been told to drain.
    private var drained = 0

    /// Before the registration: fails on a number that is taken, because its descriptor was closed
    /// and is still watched. Events would reach the wrong handler.
    mutating func add(
        _ descriptor: Int32, _ interest: Interest, _ handler: any EventHandler
    ) -> Watch {
        let index = Int(descriptor)
        while entries.count <= index { entries.append(Entry()) }
        precondition(entries[index].handler == nil, "a descriptor was closed while watched")
        entries[index].handler = handler
        entries[index].interest = interest
        entries[index].isToldToDrain = false
        drained = min(drained, index)
        count += 1
        return Watch(descriptor: descriptor, generation: entries[index].generation)
    }

    /// Nil when the registration ended, so that an event on its way reaches nobody.
    func entry(_ watch: Watch) -> Entry? {
        let index = Int(watch.descriptor)
        guard index >= 0, index < entries.count, entries[index].generation == watch.generation
        else { return nil }
        return entries[index]
    }

    mutating func setInterest(_ interest: Interest, of watch: Watch) {
        entries[Int(watch.descriptor)].interest = interest
    }

    /// The handler of the ended registration; the caller lets it go when no call is under way.
    mutating func remove(_ watch: Watch) -> (any EventHandler)? {
        guard entry(watch) != nil else { return nil }
        count -= 1
        entries[Int(watch.descriptor)].generation &+= 1
        return entries[Int(watch.descriptor)].handler.take()
    }

    /// Whether `nextToDrain` has nobody left.
    var areAllTold: Bool { drained == entries.count }

    /// One that has not been told to drain, nil when all have.
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

    /// All registrations there are.
    var watches: [Watch] {
        entries.enumerated().filter { $0.element.handler != nil }.map {
            Watch(descriptor: Int32($0.offset), generation: $0.element.generation)
        }
    }
}
