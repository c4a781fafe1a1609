import CSystemd

/// Our method calls that have no reply yet.
struct PendingCalls {
    final class Call {
        let id: UInt64
        let deadline: Duration
        let completion: (BusReply) -> Void
        weak var connection: BusConnection?
        var slot: BusSlot?

        init(
            id: UInt64, deadline: Duration, on connection: BusConnection,
            completion: @escaping (BusReply) -> Void
        ) {
            self.id = id
            self.deadline = deadline
            self.connection = connection
            self.completion = completion
        }
    }

    private var calls: [UInt64: Call] = [:]
    private var last: UInt64 = 0

    mutating func add(
        deadline: Duration, on connection: BusConnection,
        completion: @escaping (BusReply) -> Void
    ) -> Call {
        last += 1
        let call = Call(id: last, deadline: deadline, on: connection, completion: completion)
        calls[last] = call
        return call
    }

    /// Nil if it has been completed.
    mutating func remove(_ id: UInt64) -> ((BusReply) -> Void)? {
        guard let call = calls.removeValue(forKey: id) else { return nil }
        call.slot = nil
        return call.completion
    }

    /// Removes all calls and returns them in the order in which they were made.
    mutating func removeAll() -> [(BusReply) -> Void] {
        let rest = calls.values.sorted { $0.id < $1.id }
        calls = [:]
        for call in rest { call.slot = nil }
        return rest.map(\.completion)
    }
}
