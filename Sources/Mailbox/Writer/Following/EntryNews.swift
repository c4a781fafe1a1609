import Base
import Crypto
import Delivery
import SQLite
import Topics

/// What an entry of the log tells beside its changes: what engines tell clients, messages of topics
/// that no history keeps, and which of those that it keeps no reader is told of.
struct EntryNews {
    var engines: [EngineNews] = []
    var topics: [UnkeptNews] = []
    var quiet: [QuietPlaces] = []

    /// As JSON; empty if there is nothing.
    var record: [UInt8] {
        guard !engines.isEmpty || !topics.isEmpty || !quiet.isEmpty else { return [] }
        var writer = JSONWriter(capacity: 4_096)
        writer.array { writer in
            for item in engines { writer.object { item.write(to: &$0) } }
            for item in topics {
                writer.object { $0.member("topic", Base64URL.text(item.coded.span)) }
            }
            for places in quiet { writer.object { places.write(to: &$0) } }
        }
        return writer.bytes
    }

    init() {}

    /// Skips what a newer version may have written.
    init(_ record: [UInt8]) {
        for node in (try? JSONDocument(record).root)?.elements ?? [] {
            if let text = node["topic"]?.text {
                let bytes = Base64URL.decode(text)
                if let item = bytes.flatMap(UnkeptNews.decoded) { topics.append(item) }
            } else if let places = QuietPlaces(node) {
                quiet.append(places)
            } else if let item = EngineNews(node) {
                engines.append(item)
            }
        }
    }
}

extension QuietPlaces {
    fileprivate init?(_ node: JSONNode) {
        guard let owner = node["quiet"]?.integer, let first = node["first"]?.integer,
            let last = node["last"]?.integer, first <= last
        else { return nil }
        self.init(owner: UInt32(clamping: owner), positions: first...last)
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("quiet", Int(owner))
        writer.member("first", Int(positions.lowerBound))
        writer.member("last", Int(positions.upperBound))
    }
}

/// A message that no history keeps, on its way to those who read now at other nodes. It is sealed
/// under the key of its owner, like what is kept.
struct UnkeptNews: Confidential {
    private var owner: UInt32 = 0
    private var device: UInt32 = 0
    private var position: Int64 = 0
    private var id: UInt64 = 0
    private var kind: UInt8 = 0
    private var time: Int64 = 0
    private var sealed: [UInt8] = []

    private init() {}

    private var place: Sealer.Place {
        Sealer.Place(table: "topic_message", row: position, column: "news")
    }

    /// Nil for what is kept, or has no owner any more.
    init?(_ news: TopicNews, _ topics: StoredTopics) throws(StoreFault) {
        guard !news.isKept, let message = news.message else { return nil }
        (owner, device, position) = (news.owner, news.device, news.position)
        (id, kind, time) = (message.id.number ?? 0, message.kind.rawValue, message.time)
        guard case .owner(let found) = try topics.find(owner) else { return nil }
        sealed = try topics.sealers.seal(
            TopicRecord(message, of: device), at: place, of: found)
    }

    /// Nil if it does not open.
    func news(_ topics: StoredTopics) throws(StoreFault) -> TopicNews? {
        guard let kind = TopicMessage.Kind(rawValue: kind),
            case .owner(let found) = try topics.find(owner)
        else { return nil }
        let record: TopicRecord? = try topics.sealers.open(sealed.span, at: place, of: found)
        let message = record?.message(
            TopicMessageID(number: id), kind, time: time, of: device)
        return message.map { message in
            TopicNews(
                position: position, owner: owner, device: device, message: message, isKept: false)
        }
    }
}

extension UnkeptNews: Coded {
    static var blank: UnkeptNews { UnkeptNews() }

    mutating func code(_ coder: inout Coder) {
        coder.number(&owner)
        coder.number(&device)
        coder.number(&position)
        coder.number(&id)
        coder.number(&kind)
        coder.number(&time)
        coder.data(&sealed)
    }
}
