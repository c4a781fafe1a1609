import CLinux
import Glibc

/// What a watch waits for. With no interest it reports a broken connection, once.
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let readable = Interest(rawValue: 1)
    package static let writable = Interest(rawValue: 2)

    /// This is cheaper than set operations, and it is used at every event.
    package init(readable: Bool, writable: Bool) {
        rawValue = (readable ? 1 : 0) | (writable ? 2 : 0)
    }

    package var isReadable: Bool { rawValue & 1 != 0 }

    /// Wakes only one of several loops that watch the same listening socket. It cannot be changed
    /// later.
    static let exclusive = Interest(rawValue: 4)

    /// Reports, once, that the peer sends no more, or that the connection is broken.
    package static let leaving = Interest(rawValue: 8)

    /// A half-closed peer is reported only to readers, and a broken connection once if there is no
    /// interest; otherwise both would be reported without end.
    var mask: UInt32 {
        if contains(.exclusive) { return clinux_readable | clinux_exclusive }
        if self == .leaving { return clinux_once | clinux_peer_closed }
        if isEmpty { return clinux_once }
        return (contains(.readable) ? clinux_readable | clinux_peer_closed : 0)
            | (contains(.writable) ? clinux_writable : 0)
    }
}

/// What the kernel reports for a descriptor.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let readable = Readiness(rawValue: clinux_readable)
    package static let writable = Readiness(rawValue: clinux_writable)
    /// The peer sends no more; it may still read.
    package static let peerClosed = Readiness(rawValue: clinux_peer_closed)
    package static let hangUp = Readiness(rawValue: clinux_hang_up)
    package static let error = Readiness(rawValue: clinux_error)

    package var isReadable: Bool { rawValue & clinux_readable != 0 }
    package var isWritable: Bool { rawValue & clinux_writable != 0 }

    /// A broken connection counts as readable and writable, as far as that was asked for: the next
    /// call then returns the error, and handlers need not check `hangUp` and `error`.
    init(mask: UInt32, interest: Interest) {
        self.init(rawValue: mask)
        guard mask & (clinux_hang_up | clinux_error) != 0 else { return }
        if interest.contains(.readable) { insert(.readable) }
        if interest.contains(.writable) { insert(.writable) }
    }
}

/// The kernel's list of watched descriptors, and a bell with which another thread wakes the loop.
struct Poll: ~Copyable {
    private static let batchSize = 256

    private let descriptor: Int32
    private let bell: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private static let bellData = UInt64.max

    init() throws(SystemError) {
        let descriptor = try ensure("epoll_create1") {
            epoll_create1(Int32(EPOLL_CLOEXEC))
        }
        let bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        // The bell is edge-triggered: each ring is one event, and the counter is never read.
        var event = clinux_event(clinux_readable | clinux_edge, Self.bellData)
        guard bell != -1, epoll_ctl(descriptor, EPOLL_CTL_ADD, bell, &event) == 0 else {
            let code = errno
            close(descriptor)
            if bell != -1 { close(bell) }
            throw SystemError("eventfd", code: code)
        }
        self.descriptor = descriptor
        self.bell = bell
        events = .allocate(capacity: Self.batchSize)
    }

    deinit {
        events.deallocate()
        close(bell)
        close(descriptor)
    }

    /// Any thread may call it.
    func ring() {
        var one: UInt64 = 1
        // It cannot block before 2^64 rings; even an interrupted write rings.
        write(bell, &one, MemoryLayout<UInt64>.size)
    }

    func add(_ watch: WatchID, _ mask: UInt32) throws(SystemError) {
        var event = clinux_event(mask, watch.data)
        _ = try ensure("epoll_ctl") {
            epoll_ctl(descriptor, EPOLL_CTL_ADD, watch.descriptor, &event)
        }
    }

    func modify(_ watch: WatchID, _ mask: UInt32) {
        var event = clinux_event(mask, watch.data)
        let result = epoll_ctl(descriptor, EPOLL_CTL_MOD, watch.descriptor, &event)
        precondition(result == 0, "a descriptor was closed while it was watched")
    }

    func remove(_ watch: WatchID) {
        var event = clinux_event(0, 0)
        let result = epoll_ctl(descriptor, EPOLL_CTL_DEL, watch.descriptor, &event)
        precondition(result == 0, "a descriptor was closed while it was watched")
    }

    /// Waits at most that many milliseconds, or for ever if it is -1. Returns the number of events.
    func wait(_ milliseconds: Int32) -> Int {
        let count = epoll_wait(descriptor, events, Int32(Self.batchSize), milliseconds)
        // An interrupted wait has no events.
        precondition(count >= 0 || errno == EINTR, "other code closed the poll descriptor")
        return max(Int(count), 0)
    }

    /// Nil for the bell.
    func event(_ index: Int) -> (watch: WatchID, mask: UInt32)? {
        let data = clinux_event_data(events + index)
        guard data != Self.bellData else { return nil }
        return (WatchID(data: data), clinux_event_mask(events + index))
    }
}

/// Identifies one watch of a descriptor, also after it ended and the number of the descriptor is in
/// use again.
package struct WatchID: Hashable, Sendable {
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
    ) -> WatchID {
        let index = Int(descriptor)
        while entries.count <= index { entries.append(Entry()) }
        precondition(entries[index].handler == nil, "a descriptor was closed while it was watched")
        entries[index].handler = handler
        entries[index].interest = interest
        entries[index].isToldToDrain = false
        drained = min(drained, index)
        count += 1
        return WatchID(descriptor: descriptor, generation: entries[index].generation)
    }

    /// Nil if the watch has ended, so that a late event is dropped.
    func entry(_ watch: WatchID) -> Entry? {
        let index = Int(watch.descriptor)
        guard index >= 0, index < entries.count, entries[index].generation == watch.generation
        else { return nil }
        return entries[index]
    }

    mutating func setInterest(_ interest: Interest, of watch: WatchID) {
        entries[Int(watch.descriptor)].interest = interest
    }

    /// Returns the handler; the caller frees it when no call is under way.
    mutating func remove(_ watch: WatchID) -> (any EventHandler)? {
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

    var watches: [WatchID] {
        entries.enumerated().filter { $0.element.handler != nil }.map {
            WatchID(descriptor: Int32($0.offset), generation: $0.element.generation)
        }
    }
}
