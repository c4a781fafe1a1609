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
