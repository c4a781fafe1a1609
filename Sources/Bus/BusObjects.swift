import CSystemd

/// The methods, signals and properties that an object offers under one name.
package struct BusInterface: Equatable, Sendable {
    package struct Argument: Equatable, Sendable {
        let name: String
        let type: String

        package init(_ name: String, _ type: String) {
            self.name = name
            self.type = type
        }
    }

    package struct Method: Equatable, Sendable {
        let name: String
        let input: [Argument]
        let output: [Argument]
        let isAnswered: Bool

        package init(
            _ name: String, _ input: [Argument] = [], output: [Argument] = [],
            isAnswered: Bool = true
        ) {
            self.name = name
            self.input = input
            self.output = output
            self.isAnswered = isAnswered
        }

        var signature: String { input.map(\.type).joined() }
    }

    package struct Signal: Equatable, Sendable {
        let name: String
        let arguments: [Argument]

        package init(_ name: String, _ arguments: [Argument] = []) {
            self.name = name
            self.arguments = arguments
        }
    }

    package let name: String
    let methods: [Method]
    let signals: [Signal]
    /// Read-only.
    let properties: [Argument]

    package init(
        _ name: String, methods: [Method] = [], signals: [Signal] = [], properties: [Argument] = []
    ) {
        self.name = name
        self.methods = methods
        self.signals = signals
        self.properties = properties
    }

    func method(_ name: String) -> Method? { methods.first { $0.name == name } }

    /// The description that `Introspect` returns. All names are our own, so nothing is escaped.
    var xml: String {
        var lines = ["  <interface name=\"\(name)\">"]
        for method in methods {
            lines.append("    <method name=\"\(method.name)\">")
            lines += method.input.map { $0.xml(#" direction="in""#) }
            lines += method.output.map { $0.xml(#" direction="out""#) }
            if !method.isAnswered {
                lines.append(
                    #"      <annotation name="org.freedesktop.DBus.Method.NoReply" value="true"/>"#)
            }
            lines.append("    </method>")
        }
        for signal in signals {
            lines.append("    <signal name=\"\(signal.name)\">")
            lines += signal.arguments.map { $0.xml("") }
            lines.append("    </signal>")
        }
        for property in properties {
            lines.append(
                "    <property name=\"\(property.name)\" type=\"\(property.type)\" access=\"read\"/>"
            )
        }
        return (lines + ["  </interface>"]).joined(separator: "\n")
    }
}

extension BusInterface.Argument {
    fileprivate func xml(_ direction: String) -> String {
        "      <arg name=\"\(name)\" type=\"\(type)\"\(direction)/>"
    }
}

/// An object exported at a path. All calls come on the thread of the loop.
package protocol BusObject: AnyObject {
    var interfaces: [BusInterface] { get }
    /// Arguments have the types that `interfaces` declares.
    func called(_ call: BusCall)
    /// Nil if there is no such property.
    func property(_ name: String, of interface: String) -> BusValue?
}

extension BusObject {
    package func property(_ name: String, of interface: String) -> BusValue? { nil }
}

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
