package import WebPush

/// Messages between the receivers and the applications: which of them is where, and goes when.
///
/// Pure state. A message stays with a receiver of ours until its application has it. What another
/// receiver sends is kept here first, and so is what a sleeping application would otherwise have
/// others wait for: a receiver has only so many messages under way. Times are of the boot clock.
package struct Custody: Sendable {
    package struct Key: Hashable, Sendable {
        package let channel: ChannelID
        /// The receiver's name for the message.
        package let id: String

        package init(_ channel: ChannelID, _ id: String) {
            self.channel = channel
            self.id = id
        }
    }

    package enum Action: Equatable, Sendable {
        /// Give it to the application.
        case handOver(Key)
        /// The receiver need not send it again.
        case settle(Key, isDelivered: Bool)
        /// It is no longer needed on the disk.
        case drop(row: Int64)
        /// The application need not have it any more.
        case withdraw(Key)
    }

    package struct Entry: Sendable {
        package let receiver: Int64
        package let deadline: Duration?
        package let urgency: Urgency
        /// Nil where only the disk has it.
        package internal(set) var body: [UInt8]?
        /// Nil while the receiver has it.
        package internal(set) var row: Int64?
        /// It has to be on the disk before anything else happens to it.
        var isToBeKept = false
        var isHanded = false
    }

    struct Line: Sendable {
        /// In the order of acceptance.
        var ids: [String] = []
        var handed = 0
    }

    /// More than half of what a receiver of ours has under way at once.
    static let crowd = DeliveryWindow.countLimit / 2
    static let crowdBytes = DeliveryWindow.byteLimit / 2
    /// How many messages the disk keeps at most; more stay with their receivers.
    static let keptLimit = 20_000
    static let rememberedLimit = 1_024

    var entries: [Key: Entry] = [:]
    var lines: [ChannelID: Line] = [:]
    package private(set) var floor = Urgency.veryLow
    var keptCount = 0
    var unkept: [Key] = []
    /// What each receiver has under way: how many messages, of how many bytes.
    var load: [Int64: (count: Int, bytes: Int)] = [:]
    /// The last ones that were settled: they come again when the connection broke meanwhile.
    var settled: [Key: Bool] = [:]
    var settledOrder: [Key] = []
    var settledNext = 0
    var actions: [Action] = []

    package init() {}

    package mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    package var isEmpty: Bool { entries.isEmpty }

    package func entry(_ key: Key) -> Entry? { entries[key] }

    /// Those with messages.
    var channels: [ChannelID] { Array(lines.keys) }

    package func waiting(_ channel: ChannelID) -> Int { lines[channel]?.ids.count ?? 0 }
}

/// What comes, and what goes.
extension Custody {
    /// A message came from a receiver, for the first time or again.
    package mutating func received(
        _ key: Key, from receiver: Int64, body: [UInt8], deadline: Duration?, urgency: Urgency,
        isForeign: Bool, at now: Duration
    ) {
        if let isDelivered = settled[key] {
            return actions.append(.settle(key, isDelivered: isDelivered))
        }
        if let entry = entries[key] {
            // Kept here, so that it was acknowledged before: that got lost.
            if entry.row != nil { actions.append(.settle(key, isDelivered: true)) }
            return
        }
        var entry = Entry(receiver: receiver, deadline: deadline, urgency: urgency, body: body)
        entry.isToBeKept = isForeign && deadline != nil && keptCount < Self.keptLimit
        if entry.isToBeKept { unkept.append(key) }
        add(key, entry)
        advance(key.channel, at: now)
        // Now or never.
        if deadline == nil, entries[key]?.isHanded == false { end(key, isDelivered: false) }
    }

    /// One that is on the disk since before the start; in the order of acceptance.
    package mutating func restore(
        _ key: Key, from receiver: Int64, row: Int64, deadline: Duration, urgency: Urgency
    ) {
        add(
            key,
            Entry(
                receiver: receiver, deadline: deadline, urgency: urgency, body: nil, row: row))
    }

    /// The application has it, or will never take it.
    package mutating func finished(_ key: Key, isDelivered: Bool, at now: Duration) {
        end(key, isDelivered: isDelivered)
        advance(key.channel, at: now)
    }

    package mutating func withdrawn(_ key: Key, at now: Duration) {
        guard let entry = remove(key) else { return }
        if entry.isHanded { actions.append(.withdraw(key)) }
        advance(key.channel, at: now)
    }

    /// The channel has ended; its receiver knows, or will.
    package mutating func ended(_ channel: ChannelID) {
        for id in lines[channel]?.ids ?? [] { _ = remove(Key(channel, id)) }
    }

    /// Nothing comes from that receiver any more. What it still keeps stays there.
    package mutating func left(_ receiver: Int64) {
        for (key, entry) in entries where entry.receiver == receiver && entry.row == nil {
            _ = remove(key)
            if entry.isHanded { actions.append(.withdraw(key)) }
        }
    }

    /// Hands over whatever may go now.
    package mutating func advanceAll(at now: Duration) {
        for channel in lines.keys { advance(channel, at: now) }
    }

    package mutating func setFloor(_ floor: Urgency, at now: Duration) {
        let isLower = floor < self.floor
        self.floor = floor
        if isLower { advanceAll(at: now) }
    }

    /// Removes what nobody wants any more.
    package mutating func sweep(at now: Duration) {
        let old = entries.filter { _, entry in
            !entry.isHanded && entry.deadline.map { $0 <= now } ?? false
        }
        for key in old.keys { end(key, isDelivered: false) }
    }
}
