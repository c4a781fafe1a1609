import Base

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
