/// A method call of ours.
package struct BusMethodCall: Equatable, Sendable {
    package var destination: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [BusValue]
    /// The bus starts the program that serves the name, if it is not running.
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

/// The arguments of the return, or the error.
package typealias BusReply = Result<[BusValue], BusFailure>
