import CSystemd

extension BusConnection {
    /// Exports the object at a path until the subscription is released.
    package func export(
        _ object: any BusObject, at path: String
    ) throws(BusError) -> BusSubscription {
        let subscription = BusSubscription(.object(object), of: self)
        var slot: OpaquePointer?
        let code = sd_bus_add_object(
            handle.handle, &slot, path, receiveCall, subscription.pointer)
        subscription.hold(BusSlot(owning: try ensure(code, slot, "sd_bus_add_object")))
        return subscription
    }

    func reply(to message: borrowing BusMessage, _ values: [BusValue]) {
        do throws(BusError) {
            var made: OpaquePointer?
            let code = sd_bus_message_new_method_return(message.handle, &made)
            let answer = BusMessage(
                owning: try ensure(code, made, "sd_bus_message_new_method_return"))
            try answer.append(values)
            try handle.send(answer)
            follow()
        } catch {
            refuse(message, BusErrorName.failed, error.description)
        }
    }

    func refuse(_ message: borrowing BusMessage, _ name: String, _ text: String) {
        var made: OpaquePointer?
        let code = name.withCString { name in
            text.withCString { text in
                var error = sd_bus_error(name: name, message: text, _need_free: 0)
                return sd_bus_message_new_method_error(message.handle, &made, &error)
            }
        }
        // Without a connection there is no caller left.
        guard code >= 0, let made else { return }
        try? handle.send(BusMessage(owning: made))
        follow()
    }

    fileprivate func called(_ message: consuming BusMessage, _ object: any BusObject) {
        let name = message.interface
        let member = message.member
        switch name {
        case StandardInterfaces.introspectable where member == "Introspect":
            return reply(
                to: message, [.string(StandardInterfaces.document(of: object.interfaces))])
        case StandardInterfaces.properties: return property(message, object)
        default: break
        }
        // A call need not name its interface.
        let interfaces = object.interfaces.filter { name.isEmpty || $0.name == name }
        guard !interfaces.isEmpty else {
            return refuse(message, BusErrorName.unknownInterface, "no such interface")
        }
        guard let interface = interfaces.first(where: { $0.method(member) != nil }),
            let method = interface.method(member)
        else { return refuse(message, BusErrorName.unknownMethod, "no such method") }
        guard message.signature == method.signature else {
            return refuse(
                message, BusErrorName.invalidArguments,
                "\(member) takes arguments of type '\(method.signature)'")
        }
        guard let arguments = try? message.arguments() else {
            return refuse(message, BusErrorName.limitsExceeded, "too many values")
        }
        object.called(
            BusCall(message, interface: interface.name, arguments, on: self))
    }

    private func property(_ message: borrowing BusMessage, _ object: any BusObject) {
        let arguments = (try? message.arguments()) ?? []
        let texts = arguments.map { $0.text ?? "" }
        switch (message.member, message.signature) {
        case ("Get", "ss"):
            guard let value = object.property(texts[1], of: texts[0]) else {
                return refuse(message, BusErrorName.unknownProperty, "no such property")
            }
            reply(to: message, [.variant(value)])
        case ("GetAll", "s"):
            let interface = object.interfaces.first { $0.name == texts[0] }
            let members = (interface?.properties ?? []).compactMap { property in
                object.property(property.name, of: texts[0]).map { (property.name, $0) }
            }
            reply(to: message, [.options(members)])
        case ("Set", "ssv"):
            refuse(message, BusErrorName.propertyReadOnly, "it cannot be set")
        default: refuse(message, BusErrorName.unknownMethod, "no such method")
        }
    }
}

private func receiveCall(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let subscription = BusSubscription.of(context),
        case .object(let object) = subscription.purpose, let connection = subscription.connection
    else { return 0 }
    connection.called(BusMessage(sharing: message), object)
    return 1
}

/// The interfaces that sd-bus implements for every object.
enum StandardInterfaces {
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let properties = "org.freedesktop.DBus.Properties"

    private static let all = [
        BusInterface(
            introspectable, methods: [.init("Introspect", output: [.init("xml", "s")])]),
        BusInterface(
            "org.freedesktop.DBus.Peer",
            methods: [.init("Ping"), .init("GetMachineId", output: [.init("machine", "s")])]),
        BusInterface(
            properties,
            methods: [
                .init(
                    "Get", [.init("interface", "s"), .init("property", "s")],
                    output: [.init("value", "v")]),
                .init("GetAll", [.init("interface", "s")], output: [.init("values", "a{sv}")]),
                .init(
                    "Set",
                    [.init("interface", "s"), .init("property", "s"), .init("value", "v")]),
            ]),
    ]

    static func document(of interfaces: [BusInterface]) -> String {
        let parts = (all + interfaces).map(\.xml).joined(separator: "\n")
        return """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>
            \(parts)
            </node>

            """
    }
}
