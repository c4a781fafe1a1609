import Base
package import Configuration
package import Mailbox

package struct ControlSettings: Sendable {
    package let baseURL: BaseURL
    /// Makes a new master key, or takes the next one of a cluster, and starts to seal everything
    /// again; returns the id of the key.
    let rotateMasterKey: @Sendable () throws -> String
    let rotation: @Sendable () -> MasterKeyRotation
    /// Begins to move the store, unless that is under way or the wish is nil, and tells how far it is.
    let move: @Sendable (MoveWish?) -> MoveStatus

    package init(
        baseURL: BaseURL, rotateMasterKey: @escaping @Sendable () throws -> String,
        rotation: @escaping @Sendable () -> MasterKeyRotation,
        move: @escaping @Sendable (MoveWish?) -> MoveStatus
    ) {
        self.baseURL = baseURL
        self.rotateMasterKey = rotateMasterKey
        self.rotation = rotation
        self.move = move
    }
}

/// How far a change of the master key is.
package struct MasterKeyRotation: Sendable {
    /// Nil when it is done.
    let progress: ResealingProgress?
    /// Several nodes change theirs.
    let isShared: Bool
    /// Rows that could not be unsealed.
    let unopened: Int
    /// Why it did not begin.
    let failure: String?

    package init(
        progress: ResealingProgress?, isShared: Bool = false, unopened: Int = 0,
        failure: String? = nil
    ) {
        self.progress = progress
        self.isShared = isShared
        self.unopened = unopened
        self.failure = failure
    }
}

/// Why the key cannot be changed now, in words for the administrator.
package struct RotationRefusal: Error {
    let reason: String

    package init(reason: String) { self.reason = reason }
}

/// Where the store is, and how far its move to another place has got.
package struct MoveStatus: Equatable, Sendable {
    package enum Place: String, Sendable {
        case sqlite
        case cluster
    }

    /// What a move does now.
    package enum Step: String, Sendable {
        case checking
        /// Everything is served meanwhile.
        case copying
        /// Nothing is written meanwhile.
        case finishing
    }

    package var place: Place
    /// Nil unless a move is under way.
    package var step: Step?
    package var done = 0
    package var total = 0
    /// Milliseconds in which nothing could be written; nil before.
    package var paused: Int64?
    /// Why the last move failed.
    package var failure: String?
    package var hint: String?
    /// The server ends, and starts again at the other place.
    package var hasMoved = false

    package init(at place: Place) { self.place = place }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("store", place.rawValue)
            writer.member("moved", hasMoved)
            if let paused { writer.member("paused_ms", Int(paused)) }
            if let failure { writer.member("error", failure) }
            if let hint { writer.member("hint", hint) }
            guard let step else { return }
            writer.member("step", step.rawValue)
            writer.member("done", done)
            writer.member("total", total)
        }
        return writer.bytes
    }
}

/// What somebody wants of a move.
package struct MoveWish: Equatable, Sendable {
    package let place: MoveStatus.Place
    /// The servers that somebody named; nil for those of the configuration.
    package let servers: String?
    /// Whether to remove what the cluster leaves behind.
    package let removes: Bool

    /// Nil unless it is one.
    init?(_ body: [UInt8]) {
        guard let root = try? JSONDocument(body).root,
            let place = root["store"]?.text.flatMap({ MoveStatus.Place(rawValue: $0) })
        else { return nil }
        self.place = place
        servers = root["servers"]?.text
        removes = root["remove"]?.bool ?? false
    }
}
