import Mailbox

/// One who listens to an engine: on a WebSocket or in lines. Confined to the loop of its desk.
protocol EngineClient: AnyObject {
    /// JSON objects.
    func say(_ objects: [[UInt8]])
    /// Whether more is read of it.
    func setReading(_ isReading: Bool)
    /// After what was said.
    func end()
}
