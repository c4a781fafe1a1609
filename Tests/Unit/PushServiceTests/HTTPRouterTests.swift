import HTTP
import Testing

@testable import PushService

@Suite("Routes")
struct HTTPRouterTests {
    private static let router = {
        var router = HTTPRouter<String>()
        router.add("/", [(.get, "root")])
        router.add("/wpush/v1/*", [(.post, "push"), (.put, "put")])
        router.add("/wpush/*", [(.post, "legacy")])
        router.add("/api/v1/registrations/*/rotate", [(.post, "rotate")])
        router.add("/two/*/*", [(.get, "two")])
        router.add("/ui/**", [(.get, "page")])
        return router
    }()

    private func find(_ method: HTTPMethod, _ path: String) -> String {
        let bytes = Array(path.utf8)
        switch Self.router.find(method, bytes.span) {
        case .found(let match):
            let stars = [match.first, match.second].map {
                String(decoding: bytes[$0], as: UTF8.self)
            }
            return ([match.action] + stars).filter { !$0.isEmpty }.joined(separator: " ")
        case .otherMethod(let allowed): return "not " + allowed.map(\.text).joined(separator: ",")
        case .unknown: return "unknown"
        }
    }

    @Test(
        "A path gives its action and what the stars stand for",
        arguments: [
            ("/", "root"), ("/wpush/v1/abc", "push abc"), ("/wpush/abc", "legacy abc"),
            ("/api/v1/registrations/7/rotate", "rotate 7"), ("/two/a/b", "two a b"),
            ("/ui/", "page"), ("/ui/a/b.css", "page a/b.css"), ("", "unknown"),
            ("/wpush/", "unknown"), ("/wpush/v1/", "unknown"), ("/wpush/v1/a/b", "unknown"),
            ("/wpush/v3/a", "unknown"), ("/ui", "unknown"), ("//", "unknown"),
            ("/api/v1/registrations//rotate", "unknown"),
        ])
    func finds(path: String, expected: String) {
        let methods: [HTTPMethod] = [.get, .post]
        let found = methods.map { find($0, path) }.first { !$0.hasPrefix("not") } ?? "unknown"
        #expect(found == expected)
    }

    @Test("A known path lists its methods, an unknown one none")
    func methods() {
        #expect(find(.get, "/wpush/v1/abc") == "not POST,PUT")
        #expect(find(.put, "/notif/abc") == "unknown")
        #expect(find(.put, "/wpush/v1/abc") == "put abc")
    }
}
