import Notifications

/// What an engine's updates, and its clients, mean for registrations and their callbacks.
///
/// Done behind the operation that made them and what that tells callbacks itself; so none is done
/// while another is.
enum EngineConsequence {
    /// A push said that there is something to fetch.
    case fetch(device: UInt32, engine: UInt32, [Update.Detail])
    case revoke(engine: UInt32)
    case tell(CallbackEvent, engine: UInt32)
    /// A client is back after long: `registerDevice` is to be called again.
    case remind(engine: UInt32)
    /// Clients are there.
    case note(engine: UInt32)
    case mobile(Bool, engine: UInt32)

    var engine: UInt32 {
        switch self {
        case .fetch(_, let engine, _), .revoke(let engine), .tell(_, let engine),
            .remind(let engine), .note(let engine), .mobile(_, let engine):
            engine
        }
    }
}
