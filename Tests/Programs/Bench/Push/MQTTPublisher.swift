/// A sender of mosquitto that waits for each message to be acknowledged.
final class MQTTPublisher: LoadPublisher {
    private let load: PushLoad
    private let number: Int
    private var connection: LoadConnection?
    private var began = 0
    private var packet: UInt16 = 0

    init(_ number: Int, of load: PushLoad) {
        self.number = number
        self.load = load
    }

    func connect() throws { connection = try LoadConnection(load.context, self) }

    func opened(_ connection: LoadConnection) {
        MQTTPacket.append(connectAs: "p\(number)", to: &connection.output)
        connection.flush()
    }

    func lost(_ reason: String) { load.lost("publisher \(number)", reason) }

    func publish(_ body: [UInt8], to destination: [UInt8]) {
        guard let connection else { return }
        began = Clock.nanoseconds
        packet = packet % 60_000 + 1
        MQTTPacket.append(body, to: destination, number: packet, to: &connection.output)
        connection.flush()
    }

    func received(_ bytes: inout MutableSpan<UInt8>, on connection: LoadConnection) -> Int {
        var position = 0
        while let packet = MQTTPacket.next(in: bytes.span, from: position) {
            position = packet.content.upperBound
            switch packet.kind {
            case .connectAnswer: load.isReady(self)
            case .publishAnswer:
                load.answered(self, after: Clock.nanoseconds - began, isAccepted: true)
            default: break
            }
        }
        return position
    }
}
