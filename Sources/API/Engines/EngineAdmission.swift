import Crypto
import HTTP
import Mailbox

/// Leads those who may to the WebSocket of an engine.
struct EngineAdmission {
    /// What a client may say at once. It may own the real data, and hand much of it over.
    private static let messageLimit = 1 << 20
    private static let silence = Duration.seconds(240)
    private static let silenceBehindProxy = Duration.seconds(55)
    /// Whoever is to go may not go on reading for long.
    private static let closePatience = Duration.milliseconds(500)
    /// Who has not read so much is cut off, and begins anew when it is back.
    private static let outputLimit = 2 << 20

    private let desk: EngineDesk
    private let terms: WebSocketTerms

    init(_ desk: EngineDesk) {
        self.desk = desk
        let isBehindProxy = desk.service.settings.isBehindProxy
        terms = WebSocketTerms(
            session: WebSocketSession.Limits(
                messageLimit: Self.messageLimit,
                silence: isBehindProxy ? Self.silenceBehindProxy : Self.silence,
                closePatience: Self.closePatience),
            outputLimit: Self.outputLimit, sha1: { try? SHA1.digest(of: $0) })
    }

    /// `app`, `account`, `role` and `raw` stand in the query.
    func admit(_ exchange: HTTPExchange, _ caller: APICaller) {
        let query = exchange.head.query.map { QueryItems(exchange.head.text($0)) }
        let role: EngineRole
        do throws(APIRefusal) {
            role = try EngineRole(role: query?["role"], raw: query?["raw"])
        } catch { return exchange.respond(.failure(error)) }
        desk.find(account: query?["account"], app: query?["app"], caller) { [desk, terms] answer in
            switch answer {
            case .failure(let refusal): exchange.respond(.failure(refusal))
            case .success(let engine):
                // The store took its time.
                if let objection = desk.service.objection(to: caller) {
                    return exchange.respond(.failure(objection))
                }
                exchange.upgrade(
                    terms, to: EngineWebSocket(desk, engine: engine, as: role, caller.pass))
            }
        }
    }
}
