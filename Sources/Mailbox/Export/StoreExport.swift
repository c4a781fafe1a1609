import Base
import Crypto
import Delivery
import Notifications
import System

/// Whom an export is about, by the number of the row.
package enum ExportSubject: Equatable, Sendable {
    case owner(UInt32)
    /// A credential.
    case device(UInt32)
}

/// Everything that is stored about an owner or a device, as one JSON document that is read in parts.
///
/// All parts show the moment at which the first one was read. Keys, secrets and addresses are left
/// out, so that a reader of the document can neither push, nor connect, nor decrypt.
// Unchecked: only the reader's thread uses what is behind the subject.
package final class StoreExport: @unchecked Sendable {
    private enum Progress {
        case new
        case reading(ExportedMoment, ExportList, ExportCursor)
        case done
    }

    package let subject: ExportSubject
    private var progress = Progress.new
    private var draft = ExportDraft()
    private let room: Room

    /// A part ends when it has this many bytes, or took as many rows.
    struct Room {
        var bytes = 256 << 10
        var rows = 512
    }

    package convenience init(_ subject: ExportSubject) { self.init(subject, Room()) }

    init(_ subject: ExportSubject, _ room: Room) {
        self.subject = subject
        self.room = room
    }

    /// The next part, which may be empty; nil at the end. Throws `.damaged` if nobody has that
    /// number.
    func part(
        from begin: () throws(StoreFault) -> ExportedMoment
    ) throws(StoreFault) -> [UInt8]? {
        if case .new = progress {
            let moment = try begin()
            draft.begin(moment.head)
            progress = .reading(moment, .devices, ExportCursor())
            draft.begin(.devices)
        }
        var rows = 0
        while case .reading(let moment, let list, var cursor) = progress,
            draft.count < room.bytes, rows < room.rows
        {
            let step = try moment.step(list, from: &cursor, limit: room.rows - rows)
            for item in step.items { draft.add(item) }
            rows += max(step.visited, 1)
            guard step.isLast else {
                progress = .reading(moment, list, cursor)
                continue
            }
            draft.endList()
            if let next = list.next {
                draft.begin(next)
                progress = .reading(moment, next, ExportCursor())
            } else {
                draft.end()
                progress = .done
            }
        }
        if case .done = progress, draft.count == 0 { return nil }
        return draft.take(room.bytes)
    }
}

/// The lists of the document, in order.
enum ExportList: String, CaseIterable {
    case devices
    case tokens
    case userAgents = "user_agents"
    case registrations
    case endpoints
    case messages
    case signals = "fetch_signals"
    case history
    case scheduled
    case files
    case callbacks
    case forwards
    case events = "callback_events"
    case engines

    var next: ExportList? {
        let all = Self.allCases
        let index = all.firstIndex(of: self).map { $0 + 1 } ?? all.endIndex
        return index < all.endIndex ? all[index] : nil
    }
}

/// How far a list was read: through `row`, of what belongs to `holder` if that was entered.
struct ExportCursor {
    private(set) var holder: Int64 = 0
    private(set) var isEntered = false
    var row: Int64 = 0

    /// Goes on with another holder. One that is not entered belongs to somebody else.
    mutating func move(to holder: Int64, isEntered: Bool) {
        (self.holder, self.isEntered, row) = (holder, isEntered, 0)
    }
}

/// What one step found.
struct ExportStep {
    var items: [[UInt8]] = []
    /// How many rows were looked at.
    var visited = 0
    var isLast = false
}

/// The text that was not handed out yet.
private struct ExportDraft {
    private var bytes: [UInt8] = []
    /// What was handed out of it.
    private var taken = 0
    private var isFirst = true

    var count: Int { bytes.count - taken }

    /// `head` is a JSON object, which gets further members.
    mutating func begin(_ head: [UInt8]) { bytes += head.dropLast() }

    mutating func begin(_ list: ExportList) {
        bytes += Array(",\n\"\(list.rawValue)\":[".utf8)
        isFirst = true
    }

    mutating func add(_ item: [UInt8]) {
        bytes += Array((isFirst ? "\n" : ",\n").utf8)
        bytes += item
        isFirst = false
    }

    mutating func endList() { bytes.append(UInt8(ascii: "]")) }

    mutating func end() { bytes += Array("}\n".utf8) }

    mutating func take(_ limit: Int) -> [UInt8] {
        let end = min(taken + limit, bytes.count)
        let part = Array(bytes[taken..<end])
        taken = end
        if taken == bytes.count { (bytes, taken) = ([], 0) }
        return part
    }
}
