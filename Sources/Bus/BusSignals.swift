import CSystemd

/// A received signal.
package struct BusSignal: Sendable {
    /// The unique name of the sender, guaranteed by the bus.
    package let sender: String
    package let path: String
    package let interface: String
    package let member: String
    package let arguments: [BusValue]
}

/// Selects signals. Nil matches anything.
package struct BusRule: Equatable, Sendable {
    package var sender: String?
    package var path: String?
    package var interface: String?
    package var member: String?
    /// The first argument, a string.
    package var argument: String?

    package init(
        sender: String? = nil, path: String? = nil, interface: String? = nil,
        member: String? = nil, argument: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.argument = argument
    }

    /// The rule in the format of the bus. Names and paths contain no quote; other values are
    /// escaped as the specification says.
    var text: String {
        var parts = ["type='signal'"]
        for (name, value) in [
            ("sender", sender), ("path", path), ("interface", interface), ("member", member),
            ("arg0", argument),
        ] {
            guard let value else { continue }
            parts.append(
                name + "='"
                    + value.split(
                        separator: "'", omittingEmptySubsequences: false
                    ).joined(separator: "'\\''") + "'")
        }
        return parts.joined(separator: ",")
    }
}

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

/// A match or an exported object. It ends when it is released.
///
/// sd-bus calls back with a pointer to it, so it owns the slot, which must not outlive it.
package final class BusSubscription {
    enum Purpose {
        case signals((BusSignal) -> Void)
        case object(any BusObject)
    }

    let purpose: Purpose
    private(set) weak var connection: BusConnection?
    private var slot: BusSlot?

    init(_ purpose: Purpose, of connection: BusConnection) {
        self.purpose = purpose
        self.connection = connection
    }

    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func of(_ pointer: UnsafeMutableRawPointer?) -> BusSubscription? {
        pointer.map { Unmanaged<BusSubscription>.fromOpaque($0).takeUnretainedValue() }
    }

    func hold(_ slot: consuming BusSlot) { self.slot = consume slot }

    /// Ends all callbacks. A match is also removed at the bus.
    package func end() {
        slot = nil
        connection?.follow()
    }
}
