import Mailbox
import WebPush

/// A message that was sent on a connection and is not acknowledged yet.
struct Outstanding {
    enum State {
        /// Not written yet; an acknowledgement spares it the disk.
        case held(CommitWindow.Slot, Reply)
        /// On its way to the disk.
        case storing
        case stored
        /// Nobody keeps it.
        case fleeting
    }

    let reference: MessageReference
    let message: Message
    var state: State
}

extension [Outstanding] {
    /// What was sent first is mostly acknowledged first.
    func index(of id: MessageID) -> Int? { indices.first { self[$0].reference.id == id } }
}
