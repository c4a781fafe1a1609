import Base
import Mailbox

/// An entry as messages of the log: one, or several if it is longer than a message may be.
///
/// The header of each message has the name of the entry, its schema, and how many parts follow. The
/// body of the entry begins with its position, its sequence and the length of its changes.
enum LogPart {
    static let name = "Bellwire-Entry"
    static let rest = "Bellwire-Rest"
    static let schema = "Bellwire-Schema"

    static func name(of entry: CommitEntry) -> String { text(entry.name) }

    static func text(_ name: UInt64) -> String { String(name, radix: 16) }

    /// What the header of each message says of the entry.
    static func fields(of entry: CommitEntry) -> [(String, String)] {
        [(name, name(of: entry)), (schema, String(entry.schema))]
    }

    /// The bodies of the messages, at least one.
    static func bodies(_ entry: CommitEntry, longest: Int) -> [[UInt8]] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24 + entry.changes.count + entry.news.count)
        bytes.append(bigEndian: UInt64(bitPattern: entry.position))
        bytes.append(bigEndian: UInt64(bitPattern: entry.sequence))
        bytes.append(bigEndian: UInt64(entry.changes.count))
        bytes += entry.changes
        bytes += entry.news
        guard bytes.count > longest else { return [bytes] }
        return stride(from: 0, to: bytes.count, by: longest).map { start in
            Array(bytes[start..<min(start + longest, bytes.count)])
        }
    }

    /// Nil if the bytes are no entry.
    static func entry(name: String, schema: String?, _ bytes: [UInt8]) -> CommitEntry? {
        guard let name = UInt64(name, radix: 16), bytes.count >= 24,
            // Entries of programs before 0.1.0 may have none, and stores do not follow them.
            let schema = schema.map({ Int($0) }) ?? 0
        else { return nil }
        let count = bytes.span.word(at: 16)
        guard count <= UInt64(bytes.count - 24) else { return nil }
        let end = 24 + Int(count)
        return CommitEntry(
            name: name, position: Int64(bitPattern: bytes.span.word(at: 0)),
            sequence: Int64(bitPattern: bytes.span.word(at: 8)), changes: Array(bytes[24..<end]),
            news: Array(bytes[end...]), schema: schema)
    }
}

/// Puts entries together again from messages, which come in order.
struct LogPartCollector {
    private var name = ""
    private var bytes: [UInt8] = []

    /// The entry that the message completes.
    mutating func receive(_ message: StreamMessage) -> NumberedEntry? {
        guard let name = message.message[LogPart.name] else { return nil }
        if name != self.name { (self.name, bytes) = (name, []) }
        bytes += message.message.body
        guard message.message[LogPart.rest] ?? "0" == "0" else { return nil }
        defer { self = LogPartCollector() }
        let schema = message.message[LogPart.schema]
        return LogPart.entry(name: name, schema: schema, bytes).map {
            NumberedEntry(number: message.sequence, entry: $0)
        }
    }
}

/// A message that ends a part of the log, and that no store can follow. What was before the first
/// boundary is only in a copy of a store. Nothing comes after the boundary `end`.
enum LogBoundary: Equatable {
    /// The store of one machine was moved to the cluster. The mark says which store.
    case begin(mark: String)
    /// The store has left the cluster with this node, and the log has ended.
    case end(node: String)

    static let name = "Bellwire-Boundary"

    var text: String {
        switch self {
        case .begin(let mark): "begin \(mark)"
        case .end(let node): "end \(node)"
        }
    }

    init?(_ message: NatsMessage) {
        guard let text = message[Self.name] else { return nil }
        if text.hasPrefix("begin ") {
            self = .begin(mark: String(text.dropFirst(6)))
        } else if text.hasPrefix("end ") {
            self = .end(node: String(text.dropFirst(4)))
        } else {
            return nil
        }
    }
}

/// Writes a boundary.
struct BoundaryWriting {
    private static let attempts = 3
    private static let pause: UInt32 = 100

    enum Outcome: Equatable {
        case written(Int64)
        /// Another message came first.
        case outdated
        case unknown
    }

    let jetStream: JetStream

    /// Blocks. Nothing is written unless `last` is still the last one.
    func write(_ boundary: LogBoundary, after last: Int64) throws(ClusterFault) -> Outcome {
        let fields = [
            ("Nats-Expected-Last-Sequence", String(last)), (LogBoundary.name, boundary.text),
            ("Nats-Msg-Id", try RandomText.make()),
        ]
        for _ in 0..<Self.attempts {
            switch jetStream.publish(LogFeed.subject, fields, []) {
            case .stored(let number), .repeated(let number): return .written(number)
            case .refused(let error): throw .failed(error: error)
            case .outdated, .unknown, .repeatedBatch:
                // An earlier attempt may have succeeded.
                guard let ending = try LogEnding(jetStream), ending.state.last > last else { break }
                let isOurs = ending.state.last == last + 1 && ending.boundary == boundary
                return isOurs ? .written(last + 1) : .outdated
            }
            WorkPause.milliseconds(Self.pause)
        }
        return .unknown
    }
}
