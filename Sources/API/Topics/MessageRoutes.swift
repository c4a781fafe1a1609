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
    let files: FileDesk
    private let pictures: PictureDesk

    init(
        _ registrations: RegistrationRoutes, _ links: SharedPictureFetcher, on loop: EventLoop
    ) {
        (self.registrations, self.loop) = (registrations, loop)
        files = FileDesk(registrations.service, on: loop)
        pictures = PictureDesk(registrations.service, links, on: loop)
    }

    var service: ServiceState { registrations.service }

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
                read(wish, in: topics, limit, before: Int64(before)) { page in
                    reply(page.map { .success((200, $0.json)) } ?? .failure(.unavailable))
                }
            }
        }
    }

    /// Reads some messages of these topics, newest first. Nil if they cannot be read now.
    func read(
        _ wish: MessageWish, in topics: OwnTopics, _ limit: Int, before: Int64,
        then: @escaping (MessagePage?) -> Void
    ) {
        MessageReading(topics, wish, limit, before: before, registrations.dialogue).begin(then)
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

    /// Answers with the picture of a message, once it is known whether it has one, or refuses.
    func picture(
        _ id: String, _ exchange: HTTPExchange, _ caller: APICaller,
        orElse refuse: @escaping (APIRefusal) -> Void
    ) {
        message(id, caller, orElse: refuse) { [self] entry, topic in
            pictures.find(entry.message.content, of: topic) { [service] finding in
                if let objection = service.objection(to: caller) { return refuse(objection) }
                switch finding {
                case .picture(let picture): exchange.respond(picture)
                case .none: refuse(.unknown)
                case .later: refuse(.unavailable)
                }
            }
        }
    }

    /// A message of the caller's topics, with its topic.
    func message(
        _ id: String, _ caller: APICaller, orElse refuse: @escaping (APIRefusal) -> Void,
        then: @escaping (TopicEntry, Registration) -> Void
    ) {
        find(nil, caller) { [self] found in
            switch found {
            case .failure(let refusal): refuse(refusal)
            case .success(let topics):
                guard let id = TopicMessageID(id), let owner = topics.owner else {
                    return refuse(.unknown)
                }
                registrations.dialogue.load(.topic(.message(id, owner: owner))) { answer in
                    guard case .topic(.message(let entry)) = answer else {
                        return refuse(.unavailable)
                    }
                    guard let entry,
                        let topic = topics.all.first(where: { $0.device == entry.device })
                    else { return refuse(.unknown) }
                    then(entry, topic)
                }
            }
        }
    }

    /// Marks messages of the caller's topics. Those that are gone are left out, unless all are.
    func mark(
        _ kind: OwnerMark.Kind, _ positions: [Int64], _ caller: APICaller,
        then: @escaping (APIRefusal?) -> Void
    ) {
        find(nil, caller) { [self] found in
            switch found {
            case .failure(let refusal): then(refusal)
            case .success(let topics):
                let devices = Array(topics.read(service.index).names.keys)
                let mark = OwnerMark(kind, positions, of: devices)
                registrations.dialogue.submit(.registration(.mark(mark))) { outcome in
                    switch outcome {
                    case .done: then(nil)
                    case .notFound: then(.unknown)
                    case .conflict: then(.askedOtherwise)
                    default: then(.unavailable)
                    }
                }
            }
        }
    }

    private static func number(_ text: String?, _ usual: Int) -> Int? {
        text.map { Int($0) } ?? usual
    }
}

extension MessageRoutes {
    /// The topic or the account of the caller with this name or id, or all of them.
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
            let topics = OwnTopics(all, service.index)
            guard let topic else { return then(.success(topics)) }
            then(topics.only(topic, service.index).map { .success($0) } ?? .failure(.unknown))
        }
    }
}

/// Topics of one owner, and accounts, which may have a history as well.
struct OwnTopics {
    /// The row of the owner; nil without topics.
    let owner: UInt32?
    /// What the owner calls them, by their registrations. Not each is a name that can be in an
    /// address.
    let names: [UInt32: String]
    /// Names for the store, which can be in an address, and tell topics apart.
    let standIns: [UInt32: TopicName]
    let all: [Registration]
    private let namesOfStandIns: [TopicName: String]

    init(_ topics: [Registration], _ index: StoreIndex) {
        all = topics
        owner = topics.first.map { index.owner(ofDevice: $0.device) }
        names = Dictionary(topics.map { ($0.device, $0.terms.name) }) { first, _ in first }
        var (standIns, names) = ([UInt32: TopicName](), [TopicName: String]())
        for topic in topics {
            guard let standIn = TopicName(topic.id.text) else { continue }
            standIns[topic.device] = standIn
            names[standIn] = topic.terms.name
        }
        (self.standIns, namesOfStandIns) = (standIns, names)
    }

    func name(of standIn: TopicName) -> String { namesOfStandIns[standIn] ?? "" }

    /// The one with this name or id.
    func only(_ topic: String, _ index: StoreIndex) -> OwnTopics? {
        let found = all.first { $0.terms.name == topic } ?? all.first { $0.id.text == topic }
        return found.map { OwnTopics([$0], index) }
    }

    /// Without what applications push for themselves alone, which is nothing to read.
    func read(_ index: StoreIndex) -> OwnTopics { OwnTopics(all.filter(Self.isRead), index) }

    var searched: [UInt32] { all.filter(Self.isRead).map(\.device) }

    private static func isRead(_ topic: Registration) -> Bool {
        TopicName(topic.terms.name)?.isUnifiedPush != true
    }
}

/// What a request for messages asks for.
struct MessageWish: Confidential {
    let topic: String?
    let request: StreamRequest
    /// Nil if all messages are wanted.
    let words: FoldedWords?

    private static let textLimit = 256

    /// All messages with these words.
    init(words: String, now: Int64) throws(APIRefusal) {
        try self.init(topic: nil, search: words, NtfyFields(), now: now)
    }

    /// The names of the query are ntfy's, and `search`.
    init(_ query: [UInt8], _ items: QueryItems, now: Int64) throws(APIRefusal) {
        var fields = NtfyFields()
        fields.record(query: query.span)
        try self.init(topic: items["topic"], search: items["search"] ?? "", fields, now: now)
    }

    private init(
        topic: String?, search: String, _ fields: NtfyFields, now: Int64
    ) throws(APIRefusal) {
        self.topic = topic
        do throws(NtfyRefusal) {
            var request = try StreamRequest([], as: .json, fields, now: now)
            request.isOwners = true
            self.request = request
        } catch { throw .badBody(error.text) }
        let count = search.split(whereSeparator: \.isWhitespace).count
        guard search.utf8.count <= Self.textLimit, count <= FoldedWords.limit else {
            throw .badBody("search is too long")
        }
        words = count == 0 ? nil : FoldedWords([search])
    }

    /// It has every word, and what the filters say.
    func passes(_ message: TopicMessage) -> Bool {
        request.filter.passes(message) && words?.areIn(message.foldedText.span) ?? true
    }
}

/// Some messages of topics, newest first.
struct MessagePage: Confidential {
    let topics: OwnTopics
    fileprivate(set) var entries: [TopicEntry] = []
    /// Before which position to go on; nil if there are no older ones.
    fileprivate(set) var next: Int64?

    fileprivate init(_ topics: OwnTopics) { self.topics = topics }

    func name(of entry: TopicEntry) -> String { topics.names[entry.device] ?? "" }

    fileprivate var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("messages")
            writer.array { writer in
                for entry in entries {
                    let message = NtfyJSON.message(
                        entry.message, named: name(of: entry), isCleared: entry.isCleared)
                    writer.raw(String(decoding: message, as: UTF8.self))
                }
            }
            if let next { writer.member("before", Int(next)) }
        }
        return writer.bytes
    }
}

/// Reads pages until there is enough for an answer, or the store has looked at enough for one; the
/// answer then says where to go on.
private final class MessageReading {
    /// Filters leave little of a page, so they are applied to several longer ones.
    private static let (filteredAtOnce, mostPages) = (200, 10)

    private let wish: MessageWish
    private let limit: Int
    private let atOnce: Int
    private let dialogue: StoreDialogue
    private var page: MessagePage
    private var before: Int64
    /// Nothing up to this position is wanted.
    private var floor = Int64.min
    private var pages = 0

    init(
        _ topics: OwnTopics, _ wish: MessageWish, _ limit: Int, before: Int64,
        _ dialogue: StoreDialogue
    ) {
        (page, self.wish, self.limit) = (MessagePage(topics), wish, limit)
        atOnce = wish.request.filter == StreamFilter() ? limit : max(limit, Self.filteredAtOnce)
        (self.before, self.dialogue) = (before, dialogue)
    }

    /// Nil if the store cannot be read now.
    func begin(_ then: @escaping (MessagePage?) -> Void) {
        guard let owner = page.topics.owner else { return then(page) }
        guard case .id = wish.request.since else { return readOn(owner, then) }
        let subscription = TopicSubscription(owner: owner, topics: page.topics.standIns)
        dialogue.load(.topic(.stream(.replay(wish.request.since), subscription))) { [self] answer in
            guard case .topic(.stream(let replay)) = answer else { return then(nil) }
            floor = replay.plan?.range.after ?? .min
            readOn(owner, then)
        }
    }

    private func readOn(_ owner: UInt32, _ then: @escaping (MessagePage?) -> Void) {
        pages += 1
        dialogue.load(request(owner)) { [self] answer in
            guard case .topic(.page(let read)) = answer else { return then(nil) }
            let hasMore = take(read)
            // A page that the store has cut short took it long enough.
            let isCut = read.entries.count < atOnce
            guard hasMore, !isCut, page.entries.count < limit, pages < Self.mostPages else {
                page.next = hasMore ? before : nil
                return then(page)
            }
            readOn(owner, then)
        }
    }

    private func request(_ owner: UInt32) -> LoadRequest {
        let topics = page.topics
        var request = TopicPageRequest(
            owner: owner, devices: wish.words == nil ? Array(topics.names.keys) : topics.searched,
            before: before, limit: atOnce, kind: .message)
        if case .time(let time) = wish.request.since { request.since = time }
        guard let words = wish.words else { return .topic(.page(request)) }
        return .search(TopicSearchRequest(request, for: words))
    }

    /// Returns whether there may be older ones.
    private func take(_ read: TopicPage) -> Bool {
        for (index, entry) in read.entries.enumerated() {
            guard entry.position > floor else { return false }
            guard wish.request.filter.passes(entry.message) else { continue }
            page.entries.append(entry)
            guard page.entries.count == limit else { continue }
            before = entry.position
            return index + 1 < read.entries.count || read.hasMore
        }
        before = read.next ?? before
        return read.hasMore
    }
}
