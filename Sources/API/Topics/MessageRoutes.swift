import Base
import HTTP
import Mailbox
import PushService
import System
import Topics

/// `/api/v1/messages`: what has come to the topics of an owner.
final class MessageRoutes {
    private static let usualLimit = 100
    private static let limits = 1...1_000

    let registrations: RegistrationRoutes
    let loop: EventLoop

    init(_ registrations: RegistrationRoutes, on loop: EventLoop) {
        (self.registrations, self.loop) = (registrations, loop)
    }

    private var service: ServiceState { registrations.service }

    /// Answers with a page, newest first.
    func page(_ query: [UInt8], _ caller: APICaller, _ reply: @escaping (APIResult) -> Void) {
        let items = QueryItems(String(decoding: query, as: UTF8.self))
        let wish: MessageWish
        do throws(APIRefusal) {
            wish = try MessageWish(query, items, now: Int64(service.now()))
            guard wish.request.since != .latest else { throw .badBody("since is no time or id") }
        } catch { return reply(.failure(error)) }
        guard let limit = Self.number(items["limit"], Self.usualLimit),
            Self.limits.contains(limit), let before = Self.number(items["before"], .max)
        else { return reply(.failure(.badBody("limit or before is out of range"))) }
        find(wish.topic, caller) { [self] found in
            switch found {
            case .failure(let refusal): reply(.failure(refusal))
            case .success(let topics):
                PageSearch(topics, wish, limit, before: Int64(before), registrations.dialogue)
                    .begin(reply)
            }
        }
    }

    /// Answers with a line for each message, for as long as the reader stays.
    func stream(_ exchange: HTTPExchange, _ query: [UInt8], _ caller: APICaller) {
        let items = QueryItems(String(decoding: query, as: UTF8.self))
        let wish: MessageWish
        do throws(APIRefusal) {
            wish = try MessageWish(query, items, now: Int64(service.now()))
        } catch { return exchange.respond(.failure(error), service) }
        find(wish.topic, caller) { [self] found in
            switch found {
            case .failure(let refusal): exchange.respond(.failure(refusal), service)
            case .success(let topics):
                MessageStream(exchange, topics, wish, caller, self).begin()
            }
        }
    }

    private static func number(_ text: String?, _ usual: Int) -> Int? {
        text.map { Int($0) } ?? usual
    }
}

extension MessageRoutes {
    /// The topic of the caller with this name or id, or all of them.
    func find(
        _ topic: String?, _ caller: APICaller,
        then: @escaping (Result<OwnTopics, APIRefusal>) -> Void
    ) {
        let query = RegistrationQuery.all(owner: caller.owner)
        registrations.dialogue.load(.registration(query)) { [service] answer in
            guard case .registration(.all(let all)) = answer else {
                return then(.failure(.unavailable))
            }
            if let objection = service.objection(to: caller) { return then(.failure(objection)) }
            let topics = all.filter { $0.terms.isOnlyShown }
            guard let topic else { return then(.success(OwnTopics(topics, service.index))) }
            let found =
                topics.first { $0.terms.account == topic } ?? topics.first { $0.id.text == topic }
            guard let found else { return then(.failure(.unknown)) }
            then(.success(OwnTopics([found], service.index)))
        }
    }
}

/// Topics of one owner.
struct OwnTopics {
    /// The row of the owner; nil without topics.
    let owner: UInt32?
    /// What the owner calls them, by their registrations. Not each is a name that can be in an
    /// address.
    let names: [UInt32: String]
    /// Names for the store, which can be in an address, and tell topics apart.
    let standIns: [UInt32: TopicName]
    private let namesOfStandIns: [TopicName: String]

    init(_ topics: [Registration], _ index: StoreIndex) {
        owner = topics.first.map { index.owner(ofDevice: $0.device) }
        names = Dictionary(topics.map { ($0.device, $0.terms.account) }) { first, _ in first }
        var (standIns, names) = ([UInt32: TopicName](), [TopicName: String]())
        for topic in topics {
            guard let standIn = TopicName(topic.id.text) else { continue }
            standIns[topic.device] = standIn
            names[standIn] = topic.terms.account
        }
        (self.standIns, namesOfStandIns) = (standIns, names)
    }

    func name(of standIn: TopicName) -> String { namesOfStandIns[standIn] ?? "" }
}

/// What a request for messages asks for.
struct MessageWish: Confidential {
    let topic: String?
    let request: StreamRequest
    private let words: [String]

    private static let (wordsLimit, textLimit) = (16, 256)

    /// The names of the query are ntfy's, and `search`.
    init(_ query: [UInt8], _ items: QueryItems, now: Int64) throws(APIRefusal) {
        topic = items["topic"]
        var fields = NtfyFields()
        fields.record(query: query.span)
        do throws(NtfyRefusal) {
            request = try StreamRequest([], as: .json, fields, now: now)
        } catch { throw .badBody(error.text) }
        let search = items["search"] ?? ""
        words = search.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
        guard search.utf8.count <= Self.textLimit, words.count <= Self.wordsLimit else {
            throw .badBody("search is too long")
        }
    }

    /// It has every word, in whatever case, and what the filters say.
    func passes(_ message: TopicMessage) -> Bool {
        guard request.filter.passes(message) else { return false }
        guard !words.isEmpty else { return true }
        let content = message.content
        let text = ([content.title, content.text] + content.tags).joined(separator: "\n")
            .lowercased()
        return words.allSatisfy { text.place(of: $0) != nil }
    }
}

/// Reads pages until there is enough for an answer. It looks at so many messages at most; the answer
/// then says where to go on.
private final class PageSearch {
    private static let (atOnce, most) = (200, 2_000)

    private let topics: OwnTopics
    private let wish: MessageWish
    private let limit: Int
    private let dialogue: StoreDialogue
    private var before: Int64
    /// Nothing up to this position is wanted.
    private var floor = Int64.min
    private var found: [[UInt8]] = []
    private var lookedAt = 0

    init(
        _ topics: OwnTopics, _ wish: MessageWish, _ limit: Int, before: Int64,
        _ dialogue: StoreDialogue
    ) {
        (self.topics, self.wish, self.limit) = (topics, wish, limit)
        (self.before, self.dialogue) = (before, dialogue)
    }

    func begin(_ reply: @escaping (APIResult) -> Void) {
        guard let owner = topics.owner else {
            return reply(.success((200, answer(hasMore: false))))
        }
        guard case .id = wish.request.since else { return readOn(owner, reply) }
        let subscription = TopicSubscription(owner: owner, topics: topics.standIns)
        dialogue.load(.topic(.stream(.replay(wish.request.since), subscription))) { [self] answer in
            guard case .topic(.stream(let page)) = answer else {
                return reply(.failure(.unavailable))
            }
            floor = page.plan?.range.after ?? .min
            readOn(owner, reply)
        }
    }

    private func readOn(_ owner: UInt32, _ reply: @escaping (APIResult) -> Void) {
        var request = TopicPageRequest(
            owner: owner, devices: Array(topics.names.keys), before: before, limit: Self.atOnce)
        if case .time(let time) = wish.request.since { request.since = time }
        dialogue.load(.topic(.page(request))) { [self] answer in
            guard case .topic(.page(let page)) = answer else {
                return reply(.failure(.unavailable))
            }
            for entry in page.entries {
                guard entry.position > floor else {
                    return reply(.success((200, self.answer(hasMore: false))))
                }
                take(entry)
                if found.count == limit {
                    return reply(.success((200, self.answer(hasMore: true))))
                }
            }
            lookedAt += Self.atOnce
            // What does not open is left out of a page, so one may be empty.
            let isStuck = page.entries.isEmpty
            guard page.hasMore, !isStuck, lookedAt < Self.most else {
                return reply(.success((200, self.answer(hasMore: page.hasMore && !isStuck))))
            }
            readOn(owner, reply)
        }
    }

    private func take(_ entry: TopicEntry) {
        before = entry.position
        let message = entry.message
        guard message.kind == .message, wish.passes(message) else { return }
        found.append(NtfyJSON.message(message, named: topics.names[entry.device] ?? ""))
    }

    private func answer(hasMore: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("messages")
            writer.array { writer in
                for message in found { writer.raw(String(decoding: message, as: UTF8.self)) }
            }
            if hasMore { writer.member("before", Int(before)) }
        }
        return writer.bytes
    }
}
