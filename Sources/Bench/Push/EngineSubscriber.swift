import Base

/// A client of the engine of one account: it hears what changes on the screen.
final class EngineSubscriber: WebSocketSubscriber {
    override var destination: [UInt8] { [] }
    override var target: String {
        "/api/v1/engine?account=\(RegisteredTargets.accounts[number])"
    }
    override var fields: [(name: String, value: String)] {
        [("Authorization", "Bearer \(load.bearer)")]
    }

    override func take(_ message: Span<UInt8>) {
        if message.end(of: #""@type":"updateNotificationGroup""#) != nil { load.told() }
    }
}
