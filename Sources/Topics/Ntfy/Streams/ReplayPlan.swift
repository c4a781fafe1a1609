/// Where the replay of a stream begins.
package enum StreamSince: Equatable, Sendable {
    /// Only what comes.
    case nothing
    case everything
    /// The newest message of each topic.
    case latest
    /// What was stored after this message.
    case id(TopicMessageID)
    /// What has this time, in seconds since 1970, or a later one.
    case time(Int64)
}

/// The messages that a replay has, by their places in the history of their owner.
package struct ReplayRange: Equatable, Sendable {
    /// Later ones than this.
    package fileprivate(set) var after = Int64.min
    /// Of this time, in seconds since 1970, or later.
    package private(set) var from = Int64.min
    /// Not later ones than this, which was the newest when the replay began.
    package let through: Int64
    /// Of these topics, only later ones than this.
    package fileprivate(set) var floors: [TopicName: Int64] = [:]
    #if PLANTED
        package var mistake: StreamMistake?
    #endif

    /// `position` is that of the message that `since` names, also if the message itself is gone; nil
    /// if the store does not know it. A reader that comes with an unknown one gets everything: to
    /// get some again harms less than to miss some.
    package init(_ since: StreamSince, position: Int64? = nil, through: Int64) {
        self.through = through
        switch since {
        case .nothing: after = .max
        case .everything, .latest: break
        case .id: after = position ?? .min
        case .time(let time): from = time
        }
    }

    package func has(_ position: Int64, time: Int64, topic: TopicName) -> Bool {
        #if PLANTED
            if mistake == .skipsEqualTimes, time == from { return false }
            if mistake == .repeatsTheKnown, position == after { return true }
        #endif
        return position > after && position <= through && time >= from
            && position > floors[topic] ?? .min
    }
}

/// Decides what a replay has, from the sizes of what is stored. A reader must be told in the head of
/// the answer that something is missing, so this is known before the first page is read.
package struct ReplayPlan: Equatable, Sendable {
    /// More of a topic is not replayed.
    package static let bytesOfTopic = 10 << 20

    package internal(set) var range: ReplayRange
    /// The replay lacks something that the reader asked for.
    package private(set) var isTruncated = false
    /// Nobody knows the message after which it begins.
    package let isAfterUnknown: Bool
    private let isLatest: Bool
    /// The bytes that each topic has so far.
    private var sizes: [TopicName: Int] = [:]
    /// The position of the oldest message that was counted.
    private var oldest = Int64.max

    /// `newest` is the owner's newest position. `position` is that of the message that `since`
    /// names, if the store knows it.
    package init(_ since: StreamSince, position: Int64? = nil, newest: Int64) {
        range = ReplayRange(since, position: position, through: newest)
        isLatest = since == .latest
        isAfterUnknown = if case .id = since { position == nil } else { false }
    }

    /// Every message of the topics has to be counted, from the newest of each to its oldest, and then
    /// the end of that be told.
    package mutating func count(
        _ position: Int64, time: Int64, topic: TopicName, size: Int
    ) {
        guard range.has(position, time: time, topic: topic) else { return }
        oldest = min(oldest, position)
        guard !isLatest else {
            range.floors[topic] = position - 1
            return
        }
        sizes[topic, default: 0] += size
        guard sizes[topic, default: 0] > Self.bytesOfTopic else { return }
        range.floors[topic] = position
        isTruncated = true
    }

    /// The replay need not look at anything before its first message.
    package mutating func endCount() {
        range.after = max(range.after, min(oldest - 1, range.through))
    }

    /// The newest message that was removed from a topic because it had no room, or was too old. It
    /// is told after the messages that are there.
    package mutating func evicted(_ position: Int64, time: Int64, topic: TopicName) {
        if range.has(position, time: time, topic: topic) { isTruncated = true }
    }
}
