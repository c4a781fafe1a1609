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
