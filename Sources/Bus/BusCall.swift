import CSystemd

/// A method call from another program, to be answered once, now or later.
package final class BusCall {
    /// The unique name of the caller, guaranteed by the bus.
    package let sender: String
    package let path: String
    package let interface: String
    package let member: String
    package let arguments: [BusValue]
    private weak var connection: BusConnection?
    private var message: BusMessage?

    init(
        _ message: consuming BusMessage, interface: String, _ arguments: [BusValue],
        on connection: BusConnection
    ) {
        sender = message.sender
        path = message.path
        member = message.member
        self.interface = interface
        self.arguments = arguments
        self.connection = connection
        // A caller that expects no reply gets none.
        if message.expectsReply { self.message = consume message }
    }

    package func reply(_ values: [BusValue] = []) {
        guard let message = message.take(), let connection else { return }
        connection.reply(to: message, values)
    }

    package func fail(_ name: String, _ text: String) {
        guard let message = message.take(), let connection else { return }
        connection.refuse(message, name, text)
    }
}
