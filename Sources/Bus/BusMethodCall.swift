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
