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
