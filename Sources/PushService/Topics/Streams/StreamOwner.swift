import Base
import Mailbox
import Topics

/// What the streams of one loop follow of an owner's topics.
final class StreamOwner {
    let row: UInt32
    /// The owner's newest position, as far as the loop has heard of it.
    @exclusivity(unchecked) var newest: Int64 = 0
    /// Nothing was missed between the owner's newest message and what the loop hears.
    @exclusivity(unchecked) var isNewestKnown = false
    /// The store was asked for the newest position.
    @exclusivity(unchecked) var isAsking = false
    /// Streams that begin once it is known.
    @exclusivity(unchecked) var waiting: [TopicStream] = []
    /// Groups by what is the same in all their streams.
    @exclusivity(unchecked) private(set) var groups: [StreamGroup.Subject: StreamGroup] = [:]
    /// Those that follow all topics, also later ones.
    @exclusivity(unchecked) private(set) var wide: [StreamGroup] = []
    /// The groups that follow a topic, by its registration.
    @exclusivity(unchecked) private var followers: [UInt32: [StreamGroup]] = [:]

    init(_ row: UInt32) { self.row = row }

    var isIdle: Bool { groups.isEmpty }
    var streams: [TopicStream] { groups.values.flatMap(\.streams) }

    func followers(of device: UInt32) -> [StreamGroup] { followers[device] ?? [] }

    func join(_ stream: TopicStream, _ subject: StreamGroup.Subject) {
        let group = groups[subject] ?? make(subject)
        group.add(stream)
    }

    private func make(_ subject: StreamGroup.Subject) -> StreamGroup {
        let group = StreamGroup(subject, of: self)
        groups[subject] = group
        switch subject {
        case .all: wide.append(group)
        case .named(_, let names):
            group.names = names
            for device in names.keys { followers[device, default: []].append(group) }
        }
        return group
    }

    func follow(_ device: UInt32, _ name: TopicName, _ group: StreamGroup) {
        guard group.names.updateValue(name, forKey: device) == nil else { return }
        followers[device, default: []].append(group)
    }

    func leave(_ stream: TopicStream) {
        waiting.removeAll { $0 === stream }
        guard let group = stream.group else { return }
        group.remove(stream)
        guard group.streams.isEmpty else { return }
        groups[group.subject] = nil
        if group.isWide { wide.removeAll { $0 === group } }
        for device in group.names.keys { unfollow(device, group) }
    }

    /// The topic has ended.
    func forget(_ device: UInt32) -> [TopicStream] {
        var ended: [TopicStream] = []
        for group in followers(of: device) {
            if group.isWide {
                group.names[device] = nil
                unfollow(device, group)
            } else {
                ended += group.streams
            }
        }
        return ended
    }

    private func unfollow(_ device: UInt32, _ group: StreamGroup) {
        followers[device]?.removeAll { $0 === group }
        if followers[device]?.isEmpty == true { followers[device] = nil }
    }
}

/// Streams of one loop that follow the same topics. What is the same in all of them is here once,
/// because there may be many and most only wait.
final class StreamGroup {
    enum Subject: Hashable {
        /// The names as they stand in the path, and what they mean.
        case named(String, [UInt32: TopicName])
        /// All topics of the owner that a token opens; nil for all.
        case all(TopicPattern?)
    }

    let subject: Subject
    /// The owner has the group for as long as it has streams.
    unowned let owner: StreamOwner
    /// By their registrations.
    @exclusivity(unchecked) var names: [UInt32: TopicName] = [:]
    @exclusivity(unchecked) private(set) var streams: [TopicStream] = []
    /// What the topics are to Gotify's clients; empty for a group of named topics.
    @exclusivity(unchecked) var applications: [TopicName: (id: Int64, name: String)] = [:]
    /// Something came to these topics, whose names are still to be read.
    @exclusivity(unchecked) var unnamed: Set<UInt32> = []

    init(_ subject: Subject, of owner: StreamOwner) {
        (self.subject, self.owner) = (subject, owner)
    }

    var isWide: Bool { if case .all = subject { true } else { false } }

    /// For the events that tell it.
    var list: String { if case .named(let list, _) = subject { list } else { "" } }

    /// Whether a topic with this name is one of them.
    func covers(_ name: TopicName) -> Bool {
        if case .all(let pattern) = subject { pattern?.matches(name) ?? true } else { false }
    }

    func add(_ stream: TopicStream) {
        stream.group = self
        stream.index = UInt32(clamping: streams.count)
        streams.append(stream)
    }

    func remove(_ stream: TopicStream) {
        stream.group = nil
        guard let last = streams.popLast(), last !== stream else { return }
        last.index = stream.index
        streams[Int(stream.index)] = last
    }
}
