import CSystemd
import Glibc
import Reactor

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
        let (seconds, attoseconds) = timeout.components
        let microseconds =
            UInt64(clamping: seconds) * 1_000_000
            + UInt64(clamping: attoseconds / 1_000_000_000_000)
        var slot: OpaquePointer?
        let sent = sd_bus_call_async(
            handle.handle, &slot, message.handle, receiveReply,
            Unmanaged.passUnretained(pending).toOpaque(), microseconds)
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
