import CSystemd
import Glibc
import System

/// A method call to another program.
package struct BusMethodCall: Equatable, Sendable {
    package var destination: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [BusValue]
    /// Whether the bus shall start the program that owns the name if it is not running.
    package var startsService: Bool

    package init(
        to destination: String, path: String, interface: String, member: String,
        _ arguments: [BusValue] = [], startsService: Bool = true
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.startsService = startsService
    }
}

/// The arguments of the reply, or the error.
package typealias BusReply = Result<[BusValue], BusFailure>

extension BusConnection {
    /// The default of connectors and the bus.
    package static let usualTimeout = Duration.seconds(25)

    /// Calls `completion` once, after this has returned.
    package func call(
        _ call: BusMethodCall, timeout: Duration = usualTimeout,
        completion: @escaping (BusReply) -> Void
    ) {
        let deadline = Duration.nanoseconds(Instant.now.nanoseconds) + timeout
        let pending = calls.add(deadline: deadline, on: self, completion: completion)
        do throws(BusError) {
            guard isOpen else { throw BusError("sd_bus_call_async", code: ENOTCONN) }
            try send(call, timeout, pending)
            follow()
        } catch {
            let failure = BusFailure(
                name: error.isDisconnection ? BusErrorName.disconnected : BusErrorName.failed,
                text: error.description)
            let id = pending.id
            loop.post { self.calls.remove(id)?(.failure(failure)) }
        }
    }

    private func send(
        _ call: BusMethodCall, _ timeout: Duration, _ pending: PendingCalls.Call
    ) throws(BusError) {
        var made: OpaquePointer?
        let code = sd_bus_message_new_method_call(
            handle.handle, &made, call.destination, call.path, call.interface, call.member)
        let message = BusMessage(
            owning: try ensure(code, made, "sd_bus_message_new_method_call"))
        try ensure(
            sd_bus_message_set_auto_start(message.handle, call.startsService ? 1 : 0),
            "sd_bus_message_set_auto_start")
        try message.append(call.arguments)
        var slot: OpaquePointer?
        let sent = sd_bus_call_async(
            handle.handle, &slot, message.handle, receiveReply,
            Unmanaged.passUnretained(pending).toOpaque(),
            UInt64(Interval(timeout).nanoseconds / 1_000))
        pending.slot = BusSlot(owning: try ensure(sent, slot, "sd_bus_call_async"))
    }

    fileprivate func received(_ reply: borrowing BusMessage, to call: PendingCalls.Call) {
        guard let completion = calls.remove(call.id) else { return }
        if let failure = reply.failure {
            completion(.failure(failure.late(call.deadline)))
            return
        }
        do throws(BusError) {
            completion(.success(try reply.arguments()))
        } catch {
            completion(.failure(BusFailure(name: BusErrorName.limitsExceeded)))
        }
    }
}

extension BusFailure {
    /// sd-bus reports the same error for a peer that is gone and one that does not answer; the time
    /// tells them apart.
    fileprivate func late(_ deadline: Duration) -> BusFailure {
        guard name == BusErrorName.noReply,
            Duration.nanoseconds(Instant.now.nanoseconds) >= deadline
        else { return self }
        return BusFailure(name: name, text: text, isTimeout: true)
    }
}

private func receiveReply(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    let call = Unmanaged<PendingCalls.Call>.fromOpaque(context).takeUnretainedValue()
    call.connection?.received(BusMessage(sharing: message), to: call)
    return 1
}

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

/// A method call from another program, to be answered once, now or later.
package final class BusCall {
    /// The unique name of the caller, guaranteed by the bus.
    package let sender: String
    package let path: String
    package let interface: String
    package let member: String
    package let arguments: [BusValue]
    private weak var connection: BusConnection?
    private var message: BusMessage?

    init(
        _ message: consuming BusMessage, interface: String, _ arguments: [BusValue],
        on connection: BusConnection
    ) {
        sender = message.sender
        path = message.path
        member = message.member
        self.interface = interface
        self.arguments = arguments
        self.connection = connection
        // A caller that expects no reply gets none.
        if message.expectsReply { self.message = consume message }
    }

    package func reply(_ values: [BusValue] = []) {
        guard let message = message.take(), let connection else { return }
        connection.reply(to: message, values)
    }

    package func fail(_ name: String, _ text: String) {
        guard let message = message.take(), let connection else { return }
        connection.refuse(message, name, text)
    }
}
