/// Something that happened on the server, for people who look at it. It has no contents.
package struct ServerEvent: Equatable, Sendable {
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// A push was accepted, or refused with `status`.
        case accepted, refused
        /// An accepted push could not be decrypted or understood.
        case undecryptable
        /// A client acknowledged a message.
        case delivered
        /// A client came or left.
        case connected, disconnected
        /// A callback did not succeed; `status` is what it answered, if it did.
        case callback

        package var word: String {
            switch self {
            case .accepted: "accepted"
            case .refused: "refused"
            case .undecryptable: "undecryptable"
            case .delivered: "delivered"
            case .connected: "connected"
            case .disconnected: "disconnected"
            case .callback: "callback"
            }
        }
    }

    package let kind: Kind
    /// The status of a refusal or of a callback; zero if there is none.
    package let status: UInt16
    /// Why a push was refused or could not be read, as logs and metrics say it.
    package let word: String
    /// The row of the user agent or registration; zero if it is not known.
    package let device: UInt32
    /// The row of the device's credential; zero if it is not known, or has none.
    package let credential: UInt32
    /// Milliseconds since 1970.
    package private(set) var time: Int64

    package init(
        _ kind: Kind, status: Int = 0, word: String = "", device: UInt32 = 0, credential: UInt32 = 0
    ) {
        self.kind = kind
        self.status = UInt16(clamping: status)
        self.word = word
        self.device = device
        self.credential = credential
        time = 0
    }

    func at(_ time: Int64) -> ServerEvent {
        var event = self
        event.time = time
        return event
    }
}
