import CSystemd

extension BusConnection {
    package func emit(
        path: String, interface: String, member: String, _ arguments: [BusValue] = []
    ) throws(BusError) {
        var made: OpaquePointer?
        let code = sd_bus_message_new_signal(handle.handle, &made, path, interface, member)
        let message = BusMessage(owning: try ensure(code, made, "sd_bus_message_new_signal"))
        try message.append(arguments)
        try handle.send(message)
        follow()
    }

    /// Calls `heard` for each matching signal until the subscription is released.
    package func listen(
        for rule: BusRule, _ heard: @escaping (BusSignal) -> Void
    ) throws(BusError) -> BusSubscription {
        let subscription = BusSubscription(.signals(heard), of: self)
        var slot: OpaquePointer?
        let code = sd_bus_add_match_async(
            handle.handle, &slot, rule.text, receiveSignal, nil, subscription.pointer)
        subscription.hold(BusSlot(owning: try ensure(code, slot, "sd_bus_add_match_async")))
        follow()
        return subscription
    }
}

private func receiveSignal(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let subscription = BusSubscription.of(context),
        case .signals(let heard) = subscription.purpose
    else { return 0 }
    let signal = BusMessage(sharing: message)
    // A signal that cannot be read is ignored.
    guard let arguments = try? signal.arguments() else { return 0 }
    heard(
        BusSignal(
            sender: signal.sender, path: signal.path, interface: signal.interface,
            member: signal.member, arguments: arguments))
    return 0
}
