/// Updates that wait until an application has acknowledged them, each under a number that is used
/// once.
///
/// Their number is limited. Clicks that only open something make room for newer ones. Decisions and
/// replies are never dropped: when they fill the room, new ones are refused.
package struct Owed: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case action(ChosenAction)
        /// Something to fetch or to know; one application has to receive it.
        case notice(Update)
        case raw(RawPush)
    }

    package struct Item: Equatable, Sendable {
        package internal(set) var id: Int64
        /// Seconds since 1970.
        package internal(set) var time: Double
        package internal(set) var content: Content
    }

    package internal(set) var items: [Item] = []
    package var lastID: Int64 = 0
    /// An application asked for payloads as received.
    package internal(set) var keepsRaw = false

    /// How much of each kind may wait.
    private struct Room {
        let count: Int
        let bytes: Int
    }

    private static let actions = Room(count: 256, bytes: 256 << 10)
    private static let notices = Room(count: 256, bytes: 256 << 10)
    private static let rawPushes = Room(count: 1_000, bytes: 1 << 20)
    /// Opening something later than this would surprise the user, in seconds.
    private static let openTime: Double = 3_600

    package var isEmpty: Bool { items.isEmpty }

    /// Nil if there is no room.
    mutating func add(_ action: ChosenAction, at now: Double) -> ChosenAction? {
        while !hasRoom(in: Self.actions, for: action.size, where: \.isAction),
            let oldest = items.firstIndex(where: \.isOpen)
        {
            items.remove(at: oldest)
        }
        guard hasRoom(in: Self.actions, for: action.size, where: \.isAction) else { return nil }
        var action = action
        action.id = nextID()
        var kept = action
        // The token is valid only at the moment of the click.
        kept.activationToken = ""
        items.append(Item(id: action.id, time: now, content: .action(kept)))
        return action
    }

    /// Replaces a waiting notice that says the same.
    mutating func add(_ notice: Update, at now: Double) {
        items.removeAll { item in
            guard case .notice(let former) = item.content else { return false }
            return former == notice || notice.isAddress(of: former)
        }
        while !hasRoom(in: Self.notices, for: notice.noticeSize, where: \.isNotice),
            // A client that fetches also finds what the oldest notice announced.
            let oldest = items.firstIndex(where: \.isNotice)
        {
            items.remove(at: oldest)
        }
        items.append(Item(id: nextID(), time: now, content: .notice(notice)))
    }

    package func hasRoom(forRaw bytes: Int) -> Bool {
        !keepsRaw || hasRoom(in: Self.rawPushes, for: bytes, where: \.isRaw)
    }

    mutating func add(_ push: RawPush, at now: Double) -> RawPush {
        var push = push
        push.id = nextID()
        items.append(Item(id: push.id, time: now, content: .raw(push)))
        return push
    }

    /// Removes an item that was acknowledged.
    mutating func remove(_ id: Int64, where isMeant: (Item) -> Bool) {
        items.removeAll { $0.id == id && isMeant($0) }
    }

    /// Removes the notices up to this one.
    mutating func removeNotices(through id: Int64) {
        items.removeAll { $0.isNotice && $0.id <= id }
    }

    package func hasNotices(through id: Int64) -> Bool {
        items.contains { $0.isNotice && $0.id <= id }
    }

    mutating func keepRaw(_ isKept: Bool) {
        keepsRaw = isKept
        if !isKept { items.removeAll(where: \.isRaw) }
    }

    var nextExpiry: Double? { items.first(where: \.isOpen).map { $0.time + Self.openTime } }

    /// Removes the clicks that nobody handled in time; returns their ids.
    mutating func expire(at now: Double) -> [Int64] {
        let late = items.filter { $0.isOpen && $0.time + Self.openTime <= now }
        if !late.isEmpty { items.removeAll { item in late.contains { $0.id == item.id } } }
        return late.map(\.id)
    }

    private mutating func nextID() -> Int64 {
        lastID &+= 1
        return lastID
    }

    private func hasRoom(in room: Room, for size: Int, where isMeant: (Item) -> Bool) -> Bool {
        var (count, bytes) = (1, size)
        for item in items where isMeant(item) {
            count += 1
            bytes += item.size
        }
        return count <= room.count && bytes <= room.bytes
    }
}

extension Owed.Item {
    var isAction: Bool { if case .action = content { true } else { false } }
    var isNotice: Bool { if case .notice = content { true } else { false } }
    var isRaw: Bool { if case .raw = content { true } else { false } }

    fileprivate var isOpen: Bool {
        if case .action(let action) = content {
            action.action == NotificationAction.open
        } else {
            false
        }
    }

    fileprivate var size: Int {
        switch content {
        case .action(let action): action.size
        case .notice(let update): update.noticeSize
        case .raw(let push): push.payload.count
        }
    }
}

extension Update {
    /// For each data center only the latest address counts.
    fileprivate func isAddress(of other: Update) -> Bool {
        if case .dcOption(let dc, _, _) = self, case .dcOption(let former, _, _) = other {
            return dc == former
        }
        return false
    }

    fileprivate var noticeSize: Int {
        switch self {
        case .fetchRequired(let reason, let details):
            details.reduce(reason.utf8.count) { $0 + $1.name.utf8.count + $1.source.utf8.count }
        case .dcOption(_, let address, _): address.utf8.count
        default: 0
        }
    }
}
