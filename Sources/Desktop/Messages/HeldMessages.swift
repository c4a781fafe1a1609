import WebPush

/// Messages between receivers and applications: where each one is, and when it goes on.
///
/// It is pure state. A Bellwire receiver keeps a message until its application has it. Messages of
/// other receivers are stored here first. The same is true of messages for a sleeping application
/// that would block others, because a receiver sends only a limited number at a time. Times are of
/// the boot clock.
struct HeldMessages: Sendable {
    struct Key: Hashable, Sendable {
        let channel: ChannelID
        /// The receiver's id of the message.
        let id: String

        init(_ channel: ChannelID, _ id: String) {
            self.channel = channel
            self.id = id
        }
    }

    enum Action: Equatable, Sendable {
        /// Give it to the application.
        case handOver(Key)
        /// Acknowledge it to the receiver.
        case settle(Key, isDelivered: Bool)
        /// Delete it from the disk.
        case drop(row: Int64)
        /// Take it back from the distributor.
        case withdraw(Key)
    }

    struct Entry: Sendable {
        let receiver: Int64
        let deadline: Duration?
        let urgency: Urgency
        /// Nil if it is only on the disk.
        var body: [UInt8]?
        /// Nil while the receiver keeps it.
        var row: Int64?
        /// It must be stored before anything else happens to it.
        var isToBeKept = false
        var isHanded = false
    }

    struct Line: Sendable {
        /// The ids of the line's messages, in the order of acceptance.
        var ids: [String] = []
        var handed = 0
    }

    /// More than half of what a Bellwire receiver sends without acknowledgements.
    static let crowd = DeliveryWindow.countLimit / 2
    static let crowdBytes = DeliveryWindow.byteLimit / 2
    /// The most messages on the disk; further ones stay with their receivers.
    static let keptLimit = 20_000

    var entries: [Key: Entry] = [:]
    var lines: [ChannelID: Line] = [:]
    private(set) var floor = Urgency.veryLow
    var keptCount = 0
    var unkept: [Key] = []
    /// The number and bytes of unacknowledged messages of each receiver.
    var load: [Int64: (count: Int, bytes: Int)] = [:]
    /// The messages settled last; they come again if the connection broke meanwhile.
    var settled = Recent<Key, Bool>(limit: 1_024)
    var actions: [Action] = []

    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    var isEmpty: Bool { entries.isEmpty }

    func entry(_ key: Key) -> Entry? { entries[key] }

    /// The channels that have messages.
    var channels: [ChannelID] { Array(lines.keys) }

    func waiting(_ channel: ChannelID) -> Int { lines[channel]?.ids.count ?? 0 }
}

extension HeldMessages {
    /// A message arrived from a receiver, for the first time or again.
    mutating func received(
        _ key: Key, from receiver: Int64, body: [UInt8], deadline: Duration?, urgency: Urgency,
        isForeign: Bool, at now: Duration
    ) {
        if let isDelivered = settled[key] {
            return actions.append(.settle(key, isDelivered: isDelivered))
        }
        if let entry = entries[key] {
            // It is stored here, so it was acknowledged before, but the acknowledgement was lost.
            if entry.row != nil { actions.append(.settle(key, isDelivered: true)) }
            return
        }
        var entry = Entry(receiver: receiver, deadline: deadline, urgency: urgency, body: body)
        entry.isToBeKept = isForeign && deadline != nil && keptCount < Self.keptLimit
        if entry.isToBeKept { unkept.append(key) }
        add(key, entry)
        advance(key.channel, at: now)
        // A message without a deadline is delivered now or never.
        if deadline == nil, entries[key]?.isHanded == false { end(key, isDelivered: false) }
    }

    /// Adds a stored message at the start, in the order of acceptance.
    mutating func restore(
        _ key: Key, from receiver: Int64, row: Int64, deadline: Duration, urgency: Urgency
    ) {
        add(
            key,
            Entry(
                receiver: receiver, deadline: deadline, urgency: urgency, body: nil, row: row))
    }

    /// The application has the message, or will never take it.
    mutating func finished(_ key: Key, isDelivered: Bool, at now: Duration) {
        end(key, isDelivered: isDelivered)
        advance(key.channel, at: now)
    }

    mutating func withdrawn(_ key: Key, at now: Duration) {
        guard let entry = remove(key) else { return }
        if entry.isHanded { actions.append(.withdraw(key)) }
        advance(key.channel, at: now)
    }

    /// The channel has ended, and its receiver knows it or will.
    mutating func ended(_ channel: ChannelID) {
        for id in lines[channel]?.ids ?? [] { _ = remove(Key(channel, id)) }
    }

    /// Gives back what the receiver still keeps: nothing comes from it any more, or it is connected
    /// again. Then it sends anew, in order, what it still keeps; what it does not send was replaced
    /// or withdrawn meanwhile.
    mutating func giveBack(to receiver: Int64) {
        for (key, entry) in entries where entry.receiver == receiver && entry.row == nil {
            _ = remove(key)
            if entry.isHanded { actions.append(.withdraw(key)) }
        }
    }

    /// Hands over everything that may go now.
    mutating func advanceAll(at now: Duration) {
        for channel in lines.keys { advance(channel, at: now) }
    }

    mutating func setFloor(_ floor: Urgency, at now: Duration) {
        let isLower = floor < self.floor
        self.floor = floor
        if isLower { advanceAll(at: now) }
    }

    /// Removes expired messages.
    mutating func sweep(at now: Duration) {
        let old = entries.filter { _, entry in
            !entry.isHanded && entry.deadline.map { $0 <= now } ?? false
        }
        for key in old.keys { end(key, isDelivered: false) }
    }
}

/// The last values, up to a limit.
struct Recent<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let limit: Int
    private var values: [Key: Value] = [:]
    private var order: [Key] = []
    private var next = 0

    init(limit: Int) { self.limit = limit }

    subscript(_ key: Key) -> Value? { values[key] }

    mutating func insert(_ key: Key, _ value: Value) {
        if values.updateValue(value, forKey: key) != nil { return }
        guard order.count >= limit else { return order.append(key) }
        values[order[next]] = nil
        order[next] = key
        next = (next + 1) % limit
    }
}
