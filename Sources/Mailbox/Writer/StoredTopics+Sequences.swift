import Base
import Delivery
import SQLite
import Topics

/// What the screen shows of a topic: the latest state of one thing.
struct ShownSequence: Confidential {
    private static let prefix = "sequence"

    let device: UInt32
    let sequence: String

    init(_ sequence: String, in device: UInt32) {
        (self.sequence, self.device) = (sequence, device)
    }

    /// Nil for the name of anything else.
    init?(name: String) {
        let parts = name.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == Self.prefix, let device = UInt32(parts[1]) else {
            return nil
        }
        self.init(String(parts[2]), in: device)
    }

    /// Engines know it by this name.
    var name: String { "\(Self.prefix):\(device):\(sequence)" }
}

/// States of one thing.
extension StoredTopics {
    /// What the history has under an id.
    enum FoundMessage {
        case unknown
        /// Nothing came later that has its sequence.
        case latest(sequence: String)
        case former(TopicRows.Found)
    }

    func find(_ id: TopicMessageID, in device: UInt32) throws(StoreFault) -> FoundMessage {
        guard let found = try rows.all(of: id, in: device).first else { return .unknown }
        guard let state = try states(of: [found]).first, state.isLatest else {
            return .former(found)
        }
        return .latest(sequence: state.shown.sequence)
    }

    /// A message that is known, and of what it is a state.
    struct State {
        let shown: ShownSequence
        let isLatest: Bool
    }

    func states(of id: TopicMessageID, in device: UInt32) throws(StoreFault) -> [State] {
        try states(of: try rows.all(of: id, in: device))
    }

    /// `found` are messages of one topic.
    func states(of found: [TopicRows.Found]) throws(StoreFault) -> [State] {
        guard let device = found.first?.device,
            case .owner(let owner) = try admission(to: device)
        else { return [] }
        var states: [State] = []
        // Many may have one sequence.
        var keys: [String: Int64] = [:]
        for message in found {
            let position = TopicRows.position(ofKey: message.key)
            let entry = try TopicRows.entry(
                at: position, of: owner, sealers, transaction.connection)?.entry
            guard let sequence = entry?.message.sequence else { continue }
            if keys[sequence] == nil {
                keys[sequence] = try newest(sequence, of: device, owner)?.key ?? .min
            }
            states.append(
                State(
                    shown: ShownSequence(sequence, in: device),
                    isLatest: keys[sequence] == message.key))
        }
        return states
    }

    /// The newest message; what clears or closes it is none.
    private func newest(
        _ sequence: String, of device: UInt32, _ owner: TopicOwner
    ) throws(StoreFault) -> TopicRows.Found? {
        try all(sequence, of: device, owner).filter { $0.kind == .message }
            .max { $0.key < $1.key }
    }

    /// A sequence without a name of its own has the id of its first message.
    func all(
        _ sequence: String, of device: UInt32, _ owner: TopicOwner
    ) throws(StoreFault) -> [TopicRows.Found] {
        let named = try rows.all(of: try digest(of: sequence, in: device, owner), in: device)
        guard let id = TopicMessageID(sequence) else { return named }
        return named + (try rows.all(of: id, in: device))
    }

    /// What the messages at these positions are states of, as far as they are in one of these topics.
    func sequences(
        at positions: [Int64], of devices: [UInt32]
    ) throws(StoreFault) -> [(shown: ShownSequence, key: Int64)] {
        // Any topic knows the owner of all.
        guard let first = devices.first, case .owner(let owner) = try find(owner(of: first)) else {
            return []
        }
        var sequences: [(shown: ShownSequence, key: Int64)] = []
        for position in positions where position > 0 && position < TopicRows.positionEnd {
            let found = try TopicRows.entry(
                at: position, of: owner, sealers, transaction.connection)
            guard let entry = found?.entry, devices.contains(entry.device) else { continue }
            sequences.append(
                (
                    ShownSequence(entry.message.sequence, in: entry.device),
                    TopicRows.key(position, of: owner.row)
                ))
        }
        return sequences
    }

    /// Whether nothing has come since a sequence was closed or cleared.
    func isClosed(_ shown: ShownSequence) throws(StoreFault) -> Bool {
        guard case .owner(let owner) = try admission(to: shown.device),
            let newest = try newest(shown.sequence, of: shown.device, owner)
        else { return false }
        return try !closings(of: shown, after: newest.key, owner).isEmpty
    }

    private func closings(
        of shown: ShownSequence, after key: Int64, _ owner: TopicOwner
    ) throws(StoreFault) -> [TopicRows.Found] {
        try all(shown.sequence, of: shown.device, owner).filter {
            [.clear, .dismissal].contains($0.kind) && $0.key > key
        }
    }

    /// Takes it back that a state of a sequence was closed or cleared.
    func reopen(_ shown: ShownSequence, at key: Int64) throws(StoreFault) -> StoreOutcome {
        guard case .owner(let owner) = try admission(to: shown.device) else { return .notFound }
        let closings = try closings(of: shown, after: key, owner)
        guard !closings.isEmpty, let event = try event(.dismissal, shown) else { return .done }
        try erase(closings)
        // Readers find at this position that they have missed nothing, and pages that all is new.
        return try add(TopicPost(event.message, keptFor: 0), to: shown.device, isTold: false)
    }

    /// An event of the store's own, which is kept as long as what it is about. Nil for a topic that has
    /// ended.
    func event(
        _ kind: TopicMessage.Kind, _ shown: ShownSequence
    ) throws(StoreFault) -> TopicPost? {
        guard case .owner(let owner) = try admission(to: shown.device) else { return nil }
        let end = try newest(shown.sequence, of: shown.device, owner)?.end
        let rest = end.map { $0.milliseconds - transaction.time.now.milliseconds } ?? 0
        let lifetime = UInt32(clamping: (max(rest, 0) + 999) / 1_000)
        let event = TopicMessage(
            id: TopicMessageID(number: try transaction.newID().bits.high), kind,
            sequence: shown.sequence, time: transaction.time.reading().wall / 1_000,
            keptFor: lifetime)
        return TopicPost(event, keptFor: lifetime)
    }
}
