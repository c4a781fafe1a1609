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
