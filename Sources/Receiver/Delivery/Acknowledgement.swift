import Mailbox
import WebPush

/// What a device has said of a message that the store has, or may have.
enum Acknowledgement {
    case of(MessageReference)
    /// The message was sent on an earlier connection.
    case byID(MessageID, device: UInt32)

    var id: MessageID {
        switch self {
        case .of(let reference): reference.id
        case .byID(let id, _): id
        }
    }

    var operation: StoreOperation {
        switch self {
        case .of(let reference): .acknowledge(reference)
        case .byID(let id, let device): .acknowledgeByID(id, device: device)
        }
    }
}
