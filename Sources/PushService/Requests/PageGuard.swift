import Base
import Configuration
import Crypto
package import HTTP
package import Mailbox
package import WebPush

/// Keeps pages of other sites from using a visitor's browser to reach the server.
package struct PageGuard {
    package enum Judgement { case ours, misdirected, foreign }

    private let service: ServiceState

    package init(_ service: ServiceState) { self.service = service }

    package func judge(_ exchange: HTTPExchange) -> Judgement {
        let head = exchange.head
        guard namesUs(head) else { return .misdirected }
        return comesFromUs(head) ? .ours : .foreign
    }

    /// Judges a request to pages that have the origin `own`.
    package func judge(_ exchange: HTTPExchange, at own: Origin) -> Judgement {
        let head = exchange.head
        guard Self.named(head)?.host == own.host else { return .misdirected }
        guard let sender = Self.sender(head) else { return .ours }
        return Origin(url: sender) == own ? .ours : .foreign
    }

    /// Another site may point a name of its own at this server to get around the browser's rules.
    func namesUs(_ head: borrowing RequestHead) -> Bool {
        guard let origin = Self.named(head) else { return false }
        return origin.isLoopback || service.origins.contains { $0.host == origin.host }
    }

    /// Host and port that the request was addressed to.
    private static func named(_ head: borrowing RequestHead) -> Origin? {
        Origin(url: "https://" + (head.authority.map { head.text($0) } ?? ""))
    }

    /// A program sends no origin; Firefox sends the server's own address with the scheme `wss`.
    private func comesFromUs(_ head: borrowing RequestHead) -> Bool {
        guard let text = Self.sender(head) else { return true }
        let rest = text.place(of: "://").map { text[$0.upperBound...] } ?? ""
        guard let origin = Origin(url: "https://" + rest) else { return false }
        return origin == Self.named(head)
            || service.origins.contains { $0.host == origin.host && $0.port == origin.port }
    }

    /// The field Origin; several of them make a text that is no origin.
    private static func sender(_ head: borrowing RequestHead) -> String? {
        head.fields.joinedValue(of: "origin").map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a page of another site sent it. Ask this where only programs and the server's own
    /// pages may send requests.
    package static func isCrossSite(_ exchange: HTTPExchange) -> Bool {
        site(of: exchange) == "cross-site"
    }

    /// How the page that sent the request is related to ours, as the browser says (Fetch Metadata).
    package static func site(of exchange: HTTPExchange) -> String? {
        let field = exchange.head.fields.joinedValue(of: "sec-fetch-site")
        return field.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension RequestHead {
    /// The range of the secret in `Authorization: Bearer …` (RFC 6750 section 2.1).
    package var bearer: Range<Int>? {
        guard let field = fields.firstValue(of: "authorization") else { return nil }
        let held = bytes
        let start = field.lowerBound + "bearer ".utf8.count
        guard start < field.upperBound,
            held.span.extracting(field.lowerBound..<start).equalsIgnoringCase("bearer ")
        else { return nil }
        return start..<field.upperBound
    }
}

extension StoreIndex {
    /// The credential with this secret; nil if there is none.
    package func credential(secret text: Span<UInt8>) -> DeviceCredential? {
        guard let secret = Base64URL.decode(text), secret.count == DeviceCredential.secretLength,
            var hash = try? SHA256(), let bytes = try? hash.digest(of: secret.span)
        else { return nil }
        return credential(Digest(bytes))
    }
}

extension RequestHead {
    /// Whether a proxy has passed the request on. Then the peer's address says nothing about where
    /// it comes from.
    package var isForwarded: Bool {
        var isForwarded = false
        fields.forEach { name, _ in
            let start = name.extracting(0..<min(name.count, 12))
            isForwarded =
                isForwarded || name.equalsIgnoringCase("forwarded")
                || start.equalsIgnoringCase("x-forwarded-")
        }
        return isForwarded
    }
}
