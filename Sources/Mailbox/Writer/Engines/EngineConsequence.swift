import Notifications

/// What updates of an engine, and its clients, mean for registrations and their callbacks.
///
/// They are carried out after the operation that caused them and its own callback events, never
/// while another one is under way.
enum EngineConsequence {
    /// A push said that there is something to fetch.
    case fetch(device: UInt32, engine: UInt32, [Update.Detail])
    case revoke(engine: UInt32)
    case event(CallbackEvent, engine: UInt32)
    /// A client returned after a long time: remind the callbacks to call `registerDevice` again.
    case remind(engine: UInt32)
    /// Clients are connected, which is a sign of life of the registrations.
    case signOfLife(engine: UInt32)
    case mobile(Bool, engine: UInt32)

    var engine: UInt32 {
        switch self {
        case .fetch(_, let engine, _), .revoke(let engine), .event(_, let engine),
            .remind(let engine), .signOfLife(let engine), .mobile(_, let engine):
            engine
        }
    }
}
