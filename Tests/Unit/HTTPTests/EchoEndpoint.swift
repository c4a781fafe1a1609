import HTTP

/// An end of a WebSocket that sends every message back.
struct EchoEndpoint {
    let role: WebSocketRole
    var session: WebSocketSession
    var output: [UInt8] = []
    var end: WebSocketEnd?
    var now = Duration.seconds(1000)

    init(role: WebSocketRole, messageLimit: Int = 1 << 20) {
        self.role = role
        let limits = WebSocketSession.Limits(messageLimit: messageLimit)
        let keys: WebSocketEncoder.MaskingKeys = { 0x1234_5678 }
        session = WebSocketSession(
            limits: limits, maskingKeys: role == .client ? keys : nil, at: now)
    }

    mutating func receive(_ bytes: [UInt8]) {
        var buffer = bytes
        var position = 0
        session.heard(at: now)
        while true {
            var span = buffer.mutableSpan
            guard
                let delivery = session.next(in: &span, at: &position, now, output: &output)
            else { break }
            switch delivery {
            case .text(let payload): echo(.text, payload, in: buffer)
            case .binary(let payload): echo(.binary, payload, in: buffer)
            case .end(let end): self.end = end
            }
        }
    }

    private mutating func echo(
        _ opcode: WebSocketOpcode, _ payload: WebSocketPayload, in buffer: [UInt8]
    ) {
        payload.withSpan(in: buffer.span) { _ = session.send(opcode, $0, to: &output) }
    }
}
