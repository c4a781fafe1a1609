import Base
import Dialects
import Notifications

/// One thing that was done to an engine, as the journal keeps it: done again, it has the same end.
enum EngineEntry {
    case push(payload: [UInt8], Dialect, TrustLevel)
    case request([UInt8])
    /// Nothing but time went by.
    case time

    struct Damage: Error {}

    /// The first byte says what it is.
    var bytes: [UInt8] {
        switch self {
        case .time: [0]
        case .request(let text): [1] + text
        case .push(let payload, let dialect, let level):
            [2, level.rawValue, Self.number(of: dialect)] + payload
        }
    }

    init(_ bytes: [UInt8]) throws(Damage) {
        switch bytes.first {
        case 0: self = .time
        case 1: self = .request(Array(bytes.dropFirst()))
        case 2:
            guard bytes.count >= 3, let level = TrustLevel(rawValue: bytes[1]),
                Int(bytes[2]) < Dialect.allCases.count
            else { throw Damage() }
            self = .push(
                payload: Array(bytes.dropFirst(3)), Dialect.allCases[Int(bytes[2])], level)
        default: throw Damage()
        }
    }

    private static func number(of dialect: Dialect) -> UInt8 {
        UInt8(Dialect.allCases.firstIndex(of: dialect) ?? 0)
    }
}

extension Engine {
    /// Does what an entry says; nil for a request that the engine does not know.
    mutating func perform(_ entry: EngineEntry, now: Double) -> Outcome? {
        switch entry {
        case .time:
            advance(to: now)
            return .ok
        case .request(let text):
            guard let document = try? JSONDocument(text) else { return nil }
            return handle(document.root, now: now)
        case .push(let payload, let dialect, let level):
            return process(payload: payload, dialect: dialect, level: level, now: now)
        }
    }
}
