package import Base
import Delivery
package import Notifications
import WebPush

/// News from an engine, sent once it is on the disk.
package struct EngineNews: Sendable, Confidential {
    package enum Content: Sendable {
        /// Updates for all clients.
        case updates([Update])
        /// Updates of which some are owed: those are for fetchers, or for viewers if there are
        /// none. The updates until `through` count as fetched once a fetcher has them.
        case owed([Update], through: Int64, hasFetchers: Bool)
        /// Updates from another store. `through` is nil if none of them is owed.
        case encoded([EncodedUpdate], through: Int64?, hasFetchers: Bool)
        /// An answer for the client that asked.
        case answer([UInt8], client: UInt64)
        /// The state a client starts with; later news is for that client too.
        case welcome([Update], through: Int64, client: UInt64)
        case signal(HandedSignal)
        /// When the engine next has something to do by itself.
        case deadline(Double?)
        /// The engine no longer exists.
        case ended
        /// This node does not hear the others: clients are better off with another node.
        case isCutOff
    }

    /// A fetcher confirms it. Without a fetcher it goes to viewers, and one of them confirms it.
    package struct HandedSignal: Sendable {
        package let signal: FetchSignal
        /// How many of its pushes the clients have not been told about.
        package let count: Int
        package let device: UInt32
        package let registration: RegistrationID
        /// The program that is to fetch, by its name on the session bus.
        package let service: String?
        package let hasFetchers: Bool
    }

    package let engine: UInt32
    package let content: Content
}

/// An update as clients read it, and for which of them it is.
package struct EncodedUpdate: Equatable, Sendable, Confidential {
    package enum Audience: String, Sendable {
        case everybody
        /// Fetchers, or viewers if there are none.
        case actors
        /// Fetchers that asked for raw payloads.
        case rawFetchers
    }

    package let text: [UInt8]
    package let audience: Audience
    /// The update only informs: nothing is owed any more once one client has received it.
    package let isNotice: Bool

    init(text: [UInt8], audience: Audience, isNotice: Bool) {
        self.text = text
        self.audience = audience
        self.isNotice = isNotice
    }

    /// The caller's writer is used for each text.
    package init(_ update: Update, _ writer: inout JSONWriter) {
        writer.removeAll()
        update.write(to: &writer)
        text = writer.bytes
        audience =
            switch update {
            case .notificationAction: .actors
            case .rawPush: .rawFetchers
            default: .everybody
            }
        isNotice =
            switch update {
            case .fetchRequired, .dcOption, .liveLocationsNeeded: true
            default: false
            }
    }

    package static func all(_ updates: [Update]) -> [EncodedUpdate] {
        var writer = JSONWriter(capacity: 1_024)
        return updates.map { EncodedUpdate($0, &writer) }
    }
}

/// News for clients that are connected to other stores, as JSON.
extension EngineNews {
    /// False for what is only for clients that are connected here.
    private var isForOthers: Bool {
        switch content {
        case .answer, .welcome, .isCutOff: false
        case .updates, .owed, .encoded, .signal, .deadline, .ended: true
        }
    }

    static func meant(
        _ news: [EngineNews], for isMeant: (UInt32) -> Bool
    ) -> [EngineNews] {
        news.filter { $0.isForOthers && isMeant($0.engine) }
    }

    /// Writes its members.
    func write(to writer: inout JSONWriter) {
        writer.member("engine", Int(engine))
        content.write(to: &writer)
    }

    /// Nil for what is none.
    init?(_ node: JSONNode) {
        guard let engine = node["engine"]?.integer, let content = Content(node) else { return nil }
        self.init(engine: UInt32(clamping: engine), content: content)
    }
}

extension EngineNews.Content {
    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .updates(let updates):
            Self.write(EncodedUpdate.all(updates), through: nil, hasFetchers: false, &writer)
        case .owed(let updates, let last, let hasFetchers):
            Self.write(
                EncodedUpdate.all(updates), through: last, hasFetchers: hasFetchers, &writer)
        case .encoded(let updates, let last, let hasFetchers):
            Self.write(updates, through: last, hasFetchers: hasFetchers, &writer)
        case .signal(let handed):
            writer.name("signal")
            writer.object { handed.write(to: &$0) }
        case .deadline(let deadline):
            // In milliseconds; negative for none.
            writer.member("deadline", deadline.map { Int(($0 * 1_000).rounded(.up)) } ?? -1)
        case .ended: writer.member("ended", true)
        case .answer, .welcome, .isCutOff: break
        }
    }

    private static func write(
        _ updates: [EncodedUpdate], through last: Int64?, hasFetchers: Bool,
        _ writer: inout JSONWriter
    ) {
        writer.name("words")
        writer.array { writer in
            for update in updates {
                writer.object { writer in
                    writer.member("text", String(decoding: update.text, as: UTF8.self))
                    writer.member("audience", update.audience.rawValue)
                    writer.member("notice", update.isNotice)
                }
            }
        }
        if let last { writer.member("through", Int(last)) }
        writer.member("fetchers", hasFetchers)
    }

    fileprivate init?(_ node: JSONNode) {
        if let updates = node["words"] {
            self = .encoded(
                updates.elements.compactMap(EncodedUpdate.init), through: node["through"]?.integer,
                hasFetchers: node["fetchers"]?.bool ?? false)
        } else if let signal = node["signal"].flatMap(EngineNews.HandedSignal.init) {
            self = .signal(signal)
        } else if let deadline = node["deadline"]?.integer {
            self = .deadline(deadline < 0 ? nil : Double(deadline) / 1_000)
        } else if node["ended"] != nil {
            self = .ended
        } else {
            return nil
        }
    }
}

extension EncodedUpdate {
    fileprivate init?(_ node: JSONNode) {
        guard let text = node["text"]?.text,
            let audience = node["audience"]?.text.flatMap(Audience.init)
        else { return nil }
        self.init(
            text: Array(text.utf8), audience: audience, isNotice: node["notice"]?.bool ?? false)
    }
}

extension EngineNews.HandedSignal {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("id", Base64URL.text(signal.id.bytes.span))
        if let version = signal.version { writer.member("version", "\(version)") }
        writer.member("count", count)
        writer.member("device", Int(device))
        writer.member("high", Int(bitPattern: UInt(registration.bits.high)))
        writer.member("low", Int(bitPattern: UInt(registration.bits.low)))
        if let service { writer.member("service", service) }
        writer.member("fetchers", hasFetchers)
    }

    fileprivate init?(_ node: JSONNode) {
        let name = Array((node["id"]?.text ?? "").utf8)
        guard let id = MessageID(text: name.span), let count = node["count"]?.integer,
            let device = node["device"]?.integer,
            let high = node["high"]?.integer, let low = node["low"]?.integer
        else { return nil }
        let bits = Bits128(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low))
        self.init(
            signal: FetchSignal(
                id: id, version: node["version"]?.text.flatMap { UInt64($0) }, arrival: 0,
                expiry: StoreTime(milliseconds: .max)),
            count: Int(count), device: UInt32(clamping: device), registration: RegistrationID(bits),
            service: node["service"]?.text, hasFetchers: node["fetchers"]?.bool ?? false)
    }
}
