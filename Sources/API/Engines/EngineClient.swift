import Mailbox

/// A connected client of an engine, on a WebSocket or in lines. Confined to the loop of its desk.
protocol EngineClient: AnyObject {
    /// Sends JSON objects.
    func say(_ objects: [[UInt8]])
    func setReading(_ isReading: Bool)
    /// Closes the connection after everything is sent.
    func end()
}
