/// A client of one account's engine, which gets its updates.
final class EngineSubscriber: WebSocketSubscriber {
    override var destination: [UInt8] { [] }
    override var target: String {
        "/api/v1/engine?account=\(RegisteredTargets.account(ofRegistration: number))"
    }

    override func receive(_ message: Span<UInt8>) {
        if message.end(of: #""@type":"updateNotificationGroup""#) != nil { load.receivedUpdate() }
    }
}
