package import Base
package import HTTP
import StatusPage
import WebPush

/// Tells a person's browser what this is, at the address where user agents open their WebSocket.
struct FrontDoor {
    private static let policy: StaticString = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; \
        frame-ancestors 'none'
        """

    private let service: PushContext
    private let pages: PageGuard

    init(_ service: PushContext) {
        self.service = service
        pages = PageGuard(service)
    }

    /// False for programs, and for a name that is not ours.
    func show(_ exchange: HTTPExchange) -> Bool {
        guard Self.isForPerson(exchange.head), let status = status(for: exchange) else {
            return false
        }
        exchange.label = "front"
        let page = FrontPage(language: exchange.language, status: status)
        Answer.page(page.html, exchange, policy: Self.policy, cacheControl: "no-store")
        return true
    }

    /// Browsers ask for HTML when somebody opens an address, and for a WebSocket they do not.
    private static func isForPerson(_ head: borrowing RequestHead) -> Bool {
        guard head.method == .get, head.fields.firstValue(of: "upgrade") == nil,
            let accepted = head.fields.joinedValue(of: "accept")
        else { return false }
        return String(decoding: accepted, as: UTF8.self).lowercased()
            .split { ",; \t".contains($0) }.contains("text/html")
    }

    private func status(for exchange: HTTPExchange) -> FrontPage.StatusPlace? {
        let place = service.settings.page
        if case .own(let origin) = place, pages.judge(exchange, at: origin) == .ours {
            return .here
        }
        guard pages.judge(exchange) == .ours else { return nil }
        return switch place {
        case .off, .sharedSite: .nowhere
        case .usual: .here
        case .own(let origin): .elsewhere(origin: "\(origin)")
        }
    }
}

extension HTTPExchange {
    /// What the visitor reads.
    package var language: Language {
        let accepted = head.fields.joinedValue(of: "accept-language")
        return Language(accepted: String(decoding: accepted ?? [], as: UTF8.self))
    }
}
