import Crypto
import HTTP
import Mailbox

/// Opens the WebSocket of an engine to clients that may use it.
struct EngineAdmission {
    /// The largest message of a client. A client that owns the real data may send much of it at
    /// once.
    private static let messageLimit = 1 << 20
    private static let silence = Duration.seconds(240)
    private static let silenceBehindProxy = Duration.seconds(55)
    /// How long a client that is told to leave may keep the connection open.
    private static let closePatience = Duration.milliseconds(500)
    /// A client that leaves this much unread is disconnected, and starts over when it is back.
    private static let outputLimit = 2 << 20

    private let desk: EngineDesk

    init(_ desk: EngineDesk) { self.desk = desk }

    private var terms: WebSocketTerms {
        let isBehindProxy = desk.service.settings.isBehindProxy
        return WebSocketTerms(
            session: WebSocketSession.Limits(
                messageLimit: Self.messageLimit,
                silence: isBehindProxy ? Self.silenceBehindProxy : Self.silence,
                closePatience: Self.closePatience),
            outputLimit: Self.outputLimit, sha1: { try? SHA1.digest(of: $0) })
    }

    /// Reads `app`, `account`, `role` and `raw` from the query.
    func admit(_ exchange: HTTPExchange, _ caller: APICaller) {
        let query = exchange.head.query.map { QueryItems(exchange.head.text($0)) }
        let role: EngineRole
        do throws(APIRefusal) {
            role = try EngineRole(role: query?["role"], raw: query?["raw"])
        } catch { return exchange.respond(.failure(error), desk.service) }
        desk.find(account: query?["account"], app: query?["app"], caller) { [desk, terms] answer in
            switch answer {
            case .failure(let refusal): exchange.respond(.failure(refusal), desk.service)
            case .success(let engine):
                // The caller may have lost its access while the store was asked.
                if let objection = desk.service.objection(to: caller) {
                    return exchange.respond(.failure(objection), desk.service)
                }
                exchange.upgrade(
                    terms, to: EngineWebSocket(desk, engine: engine, as: role, caller.pass))
            }
        }
    }
}

extension EngineRole {
    /// Parses the words of clients: `fetcher` or `viewer`, and `true` or `false`.
    init(role: String?, raw: String?) throws(APIRefusal) {
        self.init()
        switch role {
        case nil, "fetcher": isFetcher = true
        case "viewer": isFetcher = false
        default: throw .badBody("role must be fetcher or viewer")
        }
        switch raw {
        case nil: takesRaw = nil
        case "true": takesRaw = true
        case "false": takesRaw = false
        default: throw .badBody("raw must be true or false")
        }
        guard isFetcher || takesRaw != true else {
            throw .badBody("only fetchers can have raw payloads")
        }
    }
}
