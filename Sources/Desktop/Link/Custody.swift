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
    private static let rememberedLimit = 1_024

    private(set) var entries: [Key: Entry] = [:]
    private(set) var lines: [ChannelID: Line] = [:]
    package private(set) var floor = Urgency.veryLow
    private var keptCount = 0
    private var unkept: [Key] = []
    /// What each receiver has under way: how many messages, of how many bytes.
    private var load: [Int64: (count: Int, bytes: Int)] = [:]
    /// The last ones that were settled: they come again when the connection broke meanwhile.
    private var settled: [Key: Bool] = [:]
    private var settledOrder: [Key] = []
    private var settledNext = 0
    private var actions: [Action] = []

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

/// What is to be on the disk.
extension Custody {
    /// What has to be written now, in the order of acceptance of each channel.
    package mutating func takeUnkept() -> [Key] {
        for (receiver, load) in load where load.count > Self.crowd || load.bytes > Self.crowdBytes {
            keepLongest(of: receiver)
        }
        defer { unkept = [] }
        return unkept.filter { entries[$0]?.isToBeKept == true }
    }

    /// It is on the disk, and no longer the receiver's matter.
    package mutating func kept(_ key: Key, row: Int64, at now: Duration) {
        guard var entry = entries[key], entry.row == nil else {
            return actions.append(.drop(row: row))
        }
        unload(entry)
        keptCount += 1
        entry.row = row
        entry.isToBeKept = false
        entries[key] = entry
        actions.append(.settle(key, isDelivered: true))
        advance(key.channel, at: now)
        if entries[key]?.isHanded == false { entries[key]?.body = nil }
    }

    /// The disk is full or broken: it stays with the receiver until its application has it.
    package mutating func notKept(_ key: Key, at now: Duration) {
        entries[key]?.isToBeKept = false
        advance(key.channel, at: now)
    }

    /// Whoever is handed a message has its body; the disk has it, too.
    package mutating func forgetBody(_ key: Key) {
        if entries[key]?.row != nil { entries[key]?.body = nil }
    }

    /// The channel with the most messages under way is the one whose application sleeps.
    private mutating func keepLongest(of receiver: Int64) {
        let counts = lines.mapValues { line in line.ids.count }
        let candidates = counts.sorted { $0.value > $1.value }.map(\.key)
        for channel in candidates {
            var found = false
            for id in lines[channel]?.ids ?? [] {
                let key = Key(channel, id)
                guard let entry = entries[key], entry.receiver == receiver, entry.row == nil,
                    entry.deadline != nil, keptCount < Self.keptLimit
                else { continue }
                entries[key]?.isToBeKept = true
                unkept.append(key)
                found = true
            }
            if found { return }
        }
    }
}

extension Custody {
    private mutating func add(_ key: Key, _ entry: Entry) {
        entries[key] = entry
        lines[key.channel, default: Line()].ids.append(key.id)
        if entry.row == nil {
            let load = load[entry.receiver] ?? (0, 0)
            self.load[entry.receiver] = (load.count + 1, load.bytes + (entry.body?.count ?? 0))
        } else {
            keptCount += 1
        }
    }

    private mutating func unload(_ entry: Entry) {
        guard let load = load[entry.receiver] else { return }
        let rest = (load.count - 1, load.bytes - (entry.body?.count ?? 0))
        self.load[entry.receiver] = rest.0 > 0 ? rest : nil
    }

    private mutating func remove(_ key: Key) -> Entry? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        if let row = entry.row {
            keptCount -= 1
            actions.append(.drop(row: row))
        } else {
            unload(entry)
        }
        if let index = lines[key.channel]?.ids.firstIndex(of: key.id) {
            lines[key.channel]?.ids.remove(at: index)
        }
        if entry.isHanded { lines[key.channel]?.handed -= 1 }
        if lines[key.channel]?.ids.isEmpty == true { lines[key.channel] = nil }
        return entry
    }

    private mutating func end(_ key: Key, isDelivered: Bool) {
        guard let entry = remove(key) else { return }
        remember(key, isDelivered)
        if entry.row == nil { actions.append(.settle(key, isDelivered: isDelivered)) }
    }

    private mutating func remember(_ key: Key, _ isDelivered: Bool) {
        if settled.updateValue(isDelivered, forKey: key) != nil { return }
        guard settledOrder.count >= Self.rememberedLimit else { return settledOrder.append(key) }
        settled[settledOrder[settledNext]] = nil
        settledOrder[settledNext] = key
        settledNext = (settledNext + 1) % Self.rememberedLimit
    }

    /// Hands over what may go now. What is held back lets more urgent ones pass.
    private mutating func advance(_ channel: ChannelID, at now: Duration) {
        guard let line = lines[channel], line.handed < PushLinkLimits.handoverLimit,
            line.handed < line.ids.count
        else { return }
        for id in line.ids {
            guard let handed = lines[channel]?.handed, handed < PushLinkLimits.handoverLimit else {
                return
            }
            let key = Key(channel, id)
            guard let entry = entries[key], !entry.isHanded else { continue }
            // Whatever comes behind it would overtake it.
            if entry.isToBeKept { return }
            if let deadline = entry.deadline, deadline <= now {
                end(key, isDelivered: false)
                continue
            }
            guard entry.urgency >= floor else { continue }
            entries[key]?.isHanded = true
            lines[channel]?.handed += 1
            actions.append(.handOver(key))
        }
    }
}
