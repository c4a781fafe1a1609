import Mailbox
import Reactor

/// A callback with work to do: its outbox, its timer and what it is sending.
final class Courier {
    let callback: UInt32
    var outbox: Outbox
    /// The host whose places in `HostLanes` it uses; known once its record was read.
    var host = ""
    var hasPlace = false
    var timer: TimerID?
    /// The record that is being sent.
    var record: CallbackRecord?

    init(of callback: UInt32) {
        self.callback = callback
        outbox = Outbox(of: callback)
    }
}
