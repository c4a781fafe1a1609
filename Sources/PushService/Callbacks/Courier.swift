import Mailbox
import Reactor

/// One callback for which something is to be done, between its outbox and the loop.
final class Courier {
    let callback: UInt32
    var outbox: Outbox
    /// Whose places it takes; known once its record was read.
    var host = ""
    var hasPlace = false
    var timer: TimerID?
    /// What is being sent.
    var record: CallbackRecord?

    init(of callback: UInt32) {
        self.callback = callback
        outbox = Outbox(of: callback)
    }
}
