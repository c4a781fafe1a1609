import Base
import Notifications

/// What a reader subscribes to, and from when on.
package struct StreamRequest: Sendable, Confidential {
    /// As they stand in the path.
    package let topics: [TopicName]
    package let form: NtfyRoute.Stream
    /// The reader wants what is stored, and then the end of the answer.
    package let isPoll: Bool
    /// Also what is not due yet.
    package let wantsScheduled: Bool
    package let since: StreamSince
    package let filter: StreamFilter
    /// The reader owns the topics, so it hears what the owner has closed.
    package var isOwners = false

    package init(
        _ topics: [TopicName], as form: NtfyRoute.Stream, _ fields: NtfyFields, now: Int64
    ) throws(NtfyRefusal) {
        self.topics = topics
        self.form = form
        isPoll = fields.flag(.polls)
        wantsScheduled = fields.flag(.isScheduled)
        let word = fields[.since]
        guard let since = StreamSince(word, now: now) else { throw .badSince }
        // Without a word, a poll is for everything, and a stream for what comes.
        self.since = word.isEmpty && isPoll ? .everything : since
        filter = try StreamFilter(fields)
    }

    /// The names for the event `open`, by which readers know the subscription.
    package var list: String { topics.map(\.text).joined(separator: ",") }
}

extension StreamSince {
    /// Nil for what is none. Twelve digits are an id, because ids have that form.
    init?(_ word: String, now: Int64) {
        switch word {
        case "", "none": self = .nothing
        case "all": self = .everything
        case "latest": self = .latest
        default:
            if let id = TopicMessageID(word) {
                self = .id(id)
            } else if let time = Int64(word) {
                self = .time(time)
            } else if let seconds = GoDuration.seconds(word) {
                self = .time(now - seconds)
            } else {
                return nil
            }
        }
    }
}

/// Which messages a reader wants: those that fulfil all that it says.
package struct StreamFilter: Equatable, Sendable, Confidential {
    private var id = ""
    private var text = ""
    private var title = ""
    /// Bit by bit; one of them is enough.
    private var priorities: UInt8 = 0
    private var tags: [String] = []

    /// All.
    package init() {}

    init(_ fields: NtfyFields) throws(NtfyRefusal) {
        (id, text, title) = (fields[.id], fields[.message], fields[.title])
        for word in Self.words(fields[.priority]) {
            guard let priority = PlainDialect.priority(word) else { throw .badPriority }
            priorities |= 1 << UInt8(priority)
        }
        tags = Self.words(fields[.tags])
    }

    private static func words(_ list: String) -> [String] {
        list.split(separator: ",").map { String($0.trimmed) }.filter { !$0.isEmpty }
    }

    package func passes(_ message: TopicMessage) -> Bool {
        let content = message.content
        // Without a priority it is shown like one of the middle.
        let priority = content.ntfyPriority == 0 ? 3 : content.ntfyPriority
        return (id.isEmpty || id == message.id.text) && (text.isEmpty || text == content.text)
            && (title.isEmpty || title == content.title)
            && (priorities == 0 || priorities & 1 << UInt8(priority) != 0)
            && tags.allSatisfy(content.tags.contains)
    }
}
