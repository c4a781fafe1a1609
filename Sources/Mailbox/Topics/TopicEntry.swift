import Base
import Crypto
import SQLite
package import Topics

/// A message in the history of a topic.
///
/// Positions only rise, whatever happens to the messages, and are common to all topics of an owner.
package struct TopicEntry: Sendable, Confidential {
    package let position: Int64
    /// The registration of the topic.
    package let device: UInt32
    package let message: TopicMessage
    /// Its owner has closed it, or it was cleared.
    package internal(set) var isCleared = false
}

/// A message for the history of a topic.
package struct TopicPost: Sendable, Confidential {
    package let message: TopicMessage
    /// In seconds; zero for a message that only those get who read now.
    package let lifetime: UInt32
    /// What its attachment is.
    package let file: ReceivedFile?
    /// It came to the account of an application, which shows it in its own way.
    package var isOfAccount = false
    /// Another server has forwarded it.
    package var origin: ForwardOrigin?

    package init(
        _ message: TopicMessage, keptFor lifetime: UInt32, with file: ReceivedFile? = nil
    ) {
        (self.message, self.lifetime, self.file) = (message, lifetime, file)
    }
}

/// What became of a message that another server has kept.
package enum TakenPost: String, Sendable {
    case taken
    /// The topic has it, or had it.
    case known
    /// The topic does not keep messages for so long.
    case expired
    /// What the topic has leaves no room for it.
    case full
}

/// What has come to a topic. What another node has stored comes without its message, which is in the
/// store.
package struct TopicNews: Sendable, Confidential {
    package let position: Int64
    package let owner: UInt32
    package let device: UInt32
    package let message: TopicMessage?
    /// The history has it.
    package let isKept: Bool
}

/// What a reader of a topic wants to have gone from its history. Other readers are not told.
package enum TopicErasure: Sendable {
    /// One message, if it is in one of these topics.
    case message(position: Int64, of: [UInt32])
    /// All that a topic had up to this position.
    case all(of: UInt32, through: Int64)
}

/// What an owner does with messages that the history has. All readers of the owner are told.
package struct OwnerMark: Sendable {
    package enum Kind: Sendable {
        /// It leaves the screens, as if somebody had closed it there.
        case read
        /// As if nobody had closed or cleared it. It does not come to a screen again.
        case unread
        /// It leaves the history as well.
        case deleted
    }

    package let kind: Kind
    package let positions: [Int64]
    /// The topics that they may be in.
    package let devices: [UInt32]

    package init(_ kind: Kind, _ positions: [Int64], of devices: [UInt32]) {
        (self.kind, self.positions, self.devices) = (kind, positions, devices)
    }
}

/// The topics of a stream, all of one owner.
package struct TopicSubscription: Sendable, Confidential {
    package let owner: UInt32
    /// Their names, by their registrations.
    package let topics: [UInt32: TopicName]
    /// A replay also has what is not due yet, behind its last message.
    package let wantsScheduled: Bool
    /// It also has what the owner has closed.
    package let isOwners: Bool

    package init(
        owner: UInt32, topics: [UInt32: TopicName], wantsScheduled: Bool = false,
        isOwners: Bool = false
    ) {
        (self.owner, self.topics) = (owner, topics)
        (self.wantsScheduled, self.isOwners) = (wantsScheduled, isOwners)
    }
}

package enum TopicQuery: Sendable {
    case page(TopicPageRequest)
    /// The next page of a stream.
    case stream(StreamPageRequest, TopicSubscription)
    /// The newest position of the owner.
    case newest(owner: UInt32)
    /// How much each topic of the owner keeps.
    case kept(owner: UInt32)
    case picture(of: UInt32, owner: UInt32)
    /// One message that the history has.
    case message(TopicMessageID, owner: UInt32)
    /// The open questions at some topics; those that end first come first.
    case questions(owner: UInt32, of: [UInt32])
}

extension TopicQuery {
    var owner: UInt32 {
        switch self {
        case .page(let request): request.owner
        case .stream(_, let subscription): subscription.owner
        case .newest(let owner), .kept(let owner), .picture(_, let owner), .message(_, let owner),
            .questions(let owner, _):
            owner
        }
    }

    /// The answer for an owner who has no history.
    var nothing: TopicAnswer {
        switch self {
        case .page: .page(TopicPage())
        case .stream(.replay, _): .stream(StreamPage([], through: 0))
        case .stream(.replayed(_, let position), _), .stream(.missed(let position), _):
            .stream(StreamPage([], through: position))
        case .newest: .newest(0)
        case .kept: .kept([:])
        case .picture: .picture(nil)
        case .message: .message(nil)
        case .questions: .questions([])
        }
    }
}

package enum TopicAnswer: Sendable {
    case page(TopicPage)
    case stream(StreamPage)
    case newest(Int64)
    /// By the registrations of the topics.
    case kept([UInt32: KeptMessages])
    case picture(TopicPicture?)
    case message(TopicEntry?)
    case questions([Question])
}

/// How much the history of one topic has.
package struct KeptMessages: Equatable, Sendable {
    /// With its events, which take a place each.
    package let count: Int
    package let bytes: Int
    /// When the last message came, in seconds since 1970.
    package let newest: Int64?
}

/// Some of what the history of an owner's topics has, newest first.
package struct TopicPageRequest: Sendable {
    package let owner: UInt32
    package let devices: [UInt32]
    /// Older ones than this; nil for the newest.
    package var before: Int64?
    package var limit: Int
    /// Of this time, in seconds since 1970, or later.
    package var since: Int64?
    /// Nil for all kinds.
    package var kind: TopicMessage.Kind?

    package init(
        owner: UInt32, devices: [UInt32], before: Int64? = nil, limit: Int, since: Int64? = nil,
        kind: TopicMessage.Kind? = nil
    ) {
        (self.owner, self.devices, self.before) = (owner, devices, before)
        (self.limit, self.since, self.kind) = (limit, since, kind)
    }
}

package struct TopicPage: Sendable, Confidential {
    package internal(set) var entries: [TopicEntry] = []
    /// Before which position the next page begins; nil if the history has no older ones. A search
    /// may end early: then it has looked at nothing before it.
    package internal(set) var next: Int64?

    package var hasMore: Bool { next != nil }

    /// Finds out what was closed or cleared after it came. The end of a sequence is looked up once.
    mutating func markCleared(
        of owner: TopicOwner, _ connection: borrowing Connection
    ) throws(StoreFault) {
        let select = try connection.statement(Self.lastEnd)
        var hash: SHA256
        do throws(OpenSSLError) { hash = try SHA256() } catch { throw .crypto(error) }
        var ends: [[UInt8]: Int64] = [:]
        for index in entries.indices where entries[index].message.kind == .message {
            let (device, position) = (entries[index].device, entries[index].position)
            let sequence: [UInt8]
            do throws(OpenSSLError) {
                sequence = try owner.digest(
                    of: entries[index].message.sequence, in: device, &hash)
            } catch { throw .crypto(error) }
            if ends[sequence] == nil {
                try select.bind(Int64(device), at: 1)
                try select.bind(sequence.span, at: 2)
                // Without an end it is NULL, which is read as 0.
                if try select.step() {
                    ends[sequence] = TopicRows.position(ofKey: select.integer(0))
                }
                select.reset()
            }
            entries[index].isCleared = ends[sequence].map { $0 > position } ?? false
        }
    }

    /// What was erased has no sequence.
    static let lastEnd = """
        SELECT max(place) FROM topic_message INDEXED BY topic_message_cleared
        WHERE topic = ?1 AND sequence = ?2
        AND kind IN (\(TopicMessage.Kind.clear.rawValue), \(TopicMessage.Kind.dismissal.rawValue))
        """
}

/// The sealed part of a message in the history. It repeats what else the row says, so that nobody can
/// make another message of it.
struct TopicRecord: Confidential {
    private var device: UInt32 = 0
    private var id: UInt64 = 0
    private var kind: UInt8 = 0
    private var time: Int64 = 0
    /// Empty if it is the id of the message.
    private var sequence = ""
    /// Zero if it is not said.
    private var expires: Int64 = 0
    private var content = TopicContent()

    init() {}

    init(_ message: TopicMessage, of device: UInt32) {
        (self.device, id) = (device, message.id.number ?? 0)
        (kind, time) = (message.kind.rawValue, message.time)
        sequence = message.sequence == message.id.text ? "" : message.sequence
        expires = message.expires ?? 0
        content = message.content
    }

    /// Nil if it is not that of this row.
    func message(
        _ id: TopicMessageID, _ kind: TopicMessage.Kind, time: Int64, of device: UInt32
    ) -> TopicMessage? {
        guard self.device == device, self.id == id.number, self.kind == kind.rawValue,
            self.time == time
        else { return nil }
        return TopicMessage(
            id: id, kind, sequence: sequence.isEmpty ? nil : sequence, time: time,
            expires: expires == 0 ? nil : expires, content)
    }
}

extension TopicRecord: Coded {
    static var blank: TopicRecord { TopicRecord() }

    mutating func code(_ coder: inout Coder) {
        coder.number(&device)
        coder.number(&id)
        coder.number(&kind)
        coder.number(&time)
        coder.text(&sequence)
        coder.number(&expires)
        content.code(&coder)
    }
}
