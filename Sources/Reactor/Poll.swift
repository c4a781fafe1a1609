import CLinux
import Glibc

/// The kernel's list of watched descriptors, and a bell with which another thread wakes the loop.
struct Poll: ~Copyable {
    private static let batchSize = 256

    private let descriptor: Int32
    private let bell: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private static let bellData = UInt64.max

    init() throws(ReactorError) {
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
            throw ReactorError("eventfd", code: code)
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

    func add(_ watch: Watch, _ mask: UInt32) throws(ReactorError) {
        var event = clinux_event(mask, watch.data)
        _ = try ensure("epoll_ctl") {
            epoll_ctl(descriptor, EPOLL_CTL_ADD, watch.descriptor, &event)
        }
    }

    func modify(_ watch: Watch, _ mask: UInt32) {
        var event = clinux_event(mask, watch.data)
        let result = epoll_ctl(descriptor, EPOLL_CTL_MOD, watch.descriptor, &event)
        precondition(result == 0, "a descriptor was closed while it was watched")
    }

    func remove(_ watch: Watch) {
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
    func event(_ index: Int) -> (watch: Watch, mask: UInt32)? {
        let data = clinux_event_data(events + index)
        guard data != Self.bellData else { return nil }
        return (Watch(data: data), clinux_event_mask(events + index))
    }
}
