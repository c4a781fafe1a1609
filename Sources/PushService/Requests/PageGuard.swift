import Base
import Configuration
package import HTTP
import WebPush

/// Keeps pages of other sites from using a visitor's browser to reach the server.
package struct PageGuard {
    package enum Verdict { case ours, misdirected, foreign }

    private let service: PushContext

    package init(_ service: PushContext) { self.service = service }

    package func judge(_ exchange: HTTPExchange) -> Verdict {
        let head = exchange.head
        guard namesUs(head) else { return .misdirected }
        return comesFromUs(head) ? .ours : .foreign
    }

    /// Another site may point a name of its own at this server to get around the browser's rules.
    func namesUs(_ head: borrowing RequestHead) -> Bool {
        let authority = head.authority.map { head.text($0) } ?? ""
        guard let origin = Origin(url: "https://" + authority) else { return false }
        return origin.isLoopback || service.origins.contains { $0.host == origin.host }
    }

    /// A program sends no origin; Firefox sends the server's own address with the scheme `wss`.
    private func comesFromUs(_ head: borrowing RequestHead) -> Bool {
        guard let range = head.fields.firstValue(of: "origin") else { return true }
        let text = head.text(range)
        let rest = text.place(of: "://").map { text[$0.upperBound...] } ?? ""
        let authority = head.authority.map { head.text($0) } ?? ""
        guard let origin = Origin(url: "https://" + rest) else { return false }
        return origin == Origin(url: "https://" + authority)
            || service.origins.contains { $0.host == origin.host && $0.port == origin.port }
    }

    /// Whether a page of another site sent it. Ask this where only programs and the server's own
    /// pages may send requests.
    package static func isCrossSite(_ exchange: HTTPExchange) -> Bool {
        let head = exchange.head
        let site = head.fields.firstValue(of: "sec-fetch-site").map { head.text($0) }
        return site == "cross-site"
    }
}
