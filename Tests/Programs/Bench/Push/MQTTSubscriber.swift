/// A client of mosquitto that acknowledges each message.
final class MQTTSubscriber: LoadSubscriber {
    private let load: PushLoad
    private let number: Int
    private var connection: LoadConnection?

    var destination: [UInt8] { Array("t\(number)".utf8) }

    init(_ number: Int, of load: PushLoad) {
        self.number = number
        self.load = load
    }

    func connect() throws { connection = try LoadConnection(load.context, self) }

    func opened(_ connection: LoadConnection) {
        MQTTPacket.append(connectAs: "s\(number)", to: &connection.output)
        MQTTPacket.append(subscriptionTo: destination, to: &connection.output)
        connection.flush()
    }

    func lost(_ reason: String) { load.lost(self, reason) }

    func received(_ bytes: inout MutableSpan<UInt8>, on connection: LoadConnection) -> Int {
        var position = 0
        while let packet = MQTTPacket.next(in: bytes.span, from: position) {
            position = packet.content.upperBound
            switch packet.kind {
            case .subscribeAnswer: load.isReady(self)
            case .publish: receive(bytes.span.extracting(packet.content), connection)
            default: break
            }
        }
        if !connection.output.isEmpty { connection.flush() }
        return position
    }

    private func receive(_ packet: Span<UInt8>, _ connection: LoadConnection) {
        let number = 2 + (Int(packet[0]) << 8 | Int(packet[1]))
        load.received(StampedBody.stamp(of: packet, at: number + 2))
        MQTTPacket.append(
            answerTo: UInt16(packet[number]) << 8 | UInt16(packet[number + 1]),
            to: &connection.output)
    }
}
