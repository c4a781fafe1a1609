import Reactor

/// What moves the bytes of a WebSocket. It says `closed` to its WebSocket before it goes.
protocol WebSocketCarrier: AnyObject {
    var peer: SocketAddress { get }
    var isEncrypted: Bool { get }
    var now: Duration { get }
    /// What is to be sent.
    var output: [UInt8] { get set }
    /// Of the output, what has not left.
    var bufferedBytes: Int { get }
    var sendQueue: SendQueue { get }

    /// Writes what can be written now.
    func flush()
    /// Ends the connection at once, whatever is unsent.
    func cut()
}
