extension HTTPExchange {
    /// Answers with 101 and gives the connection to `handler`, or refuses a request that does not
    /// follow RFC 6455. Call it instead of `respond`, once, now or later.
    ///
    /// The caller has checked who may connect (Origin, credentials).
    package func upgrade(_ terms: WebSocketTerms, to handler: any WebSocketHandler) {
        var fields = WebSocketFields()
        head.fields.forEach { fields.add(name: $0, value: $1) }
        do throws(WebSocketRefusal) {
            let upgrade = try WebSocketUpgrade(
                fields, isGET: head.method == .get, isHTTP11: head.version == .http11,
                subprotocols: terms.subprotocols)
            guard let acceptance = WebSocketAcceptance(upgrade, terms, handler) else {
                return respond(ResponseHead(status: 503))
            }
            connection.upgrade(self, by: acceptance)
        } catch {
            refuse(error)
        }
    }

    private func refuse(_ refusal: WebSocketRefusal) {
        var (head, body) = connection.service.handler.answer(to: refusal.answer)
        switch refusal {
        case .badMethod: head.fields.append("Allow", "GET")
        // RFC 6455 section 4.2.2, and RFC 9110 section 15.5.22, which requires the other two.
        case .badVersion:
            head.fields.append("Sec-WebSocket-Version", "13")
            head.fields.append("Upgrade", "websocket")
            head.fields.append("Connection", "Upgrade")
        default: break
        }
        respond(head, body: body)
    }
}

extension WebSocketRefusal {
    fileprivate var answer: HTTPRefusal {
        switch self {
        case .badMethod: .methodNotAllowed
        case .badVersion: .upgradeRequired
        default: .badUpgrade
        }
    }
}

/// A valid upgrade: the answer to it, and the handler of the new WebSocket.
struct WebSocketAcceptance {
    let answer: [UInt8]
    let subprotocol: String?
    private let terms: WebSocketTerms
    private let handler: any WebSocketHandler

    /// Nil if the digest cannot be computed.
    init?(
        _ upgrade: WebSocketUpgrade, _ terms: WebSocketTerms, _ handler: any WebSocketHandler
    ) {
        do throws(Fault) {
            answer = try upgrade.answer { key throws(Fault) in
                guard let digest = terms.sha1(key) else { throw Fault() }
                return digest
            }
        } catch {
            return nil
        }
        subprotocol = upgrade.subprotocol
        self.terms = terms
        self.handler = handler
    }

    func connection(on carrier: HTTPConnection) -> WebSocketConnection {
        WebSocketConnection(terms, handler, on: carrier)
    }

    private struct Fault: Error {}
}
