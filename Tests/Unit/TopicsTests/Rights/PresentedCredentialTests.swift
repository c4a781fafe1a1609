import Base
import Testing

@testable import Topics

private let token = "tk_0123456789abcdefghijklmnopqrs"
private let other = "A01234567890123"
private let device = "c2VjcmV0IG9mIGEgZGV2aWNl"

private func basic(_ pair: String) -> String { "Basic " + Base64.text(Array(pair.utf8).span) }

private func encoded(_ text: String) -> String { Base64URL.text(Array(text.utf8).span) }

private func fields(_ header: [(String, String)], _ query: String = "") -> CallerFields {
    var fields = CallerFields()
    for (name, value) in header {
        let (name, value) = (Array(name.utf8), Array(value.utf8))
        fields.record(name.span, value.span)
    }
    let query = Array(query.utf8)
    fields.record(query: query.span)
    return fields
}

@Suite("The credential that counts in a request")
struct PresentedCredentialTests {
    enum Outcome: Equatable {
        case none, refused(AccessRefusal)
        case token(String, inURL: Bool)
        case device(String, inURL: Bool)
    }

    private func outcome(
        _ fields: CallerFields, _ face: TopicFace, foreign: Bool = false, changes: Bool = false
    ) -> Outcome {
        do throws(AccessRefusal) {
            let found = try fields.credential(
                at: face, isOriginForeign: foreign, changesByGET: changes)
            return switch found?.secret {
            case nil: .none
            case .token(let token): .token(token.text, inURL: found?.isInURL ?? false)
            case .device(let text): .device(text, inURL: found?.isInURL ?? false)
            }
        } catch {
            return .refused(error)
        }
    }

    /// A field Authorization, and what it means at both faces.
    static let authorizations: [(String, Outcome)] = [
        ("Bearer " + token, .token(token, inURL: false)),
        ("bEARER  " + token, .token(token, inURL: false)),
        ("Bearer " + other, .token(other, inURL: false)),
        ("Bearer " + device, .device(device, inURL: false)),
        (basic("anybody:" + token), .token(token, inURL: false)),
        (basic(":" + token), .token(token, inURL: false)),
        (basic("anybody:" + device), .device(device, inURL: false)),
        (basic("a:b:c").replacing("Basic", with: "basic"), .device("b:c", inURL: false)),
        // What is for others, or empty, is nothing.
        ("", .none), ("Bearer", .none), ("Bearer ", .none), ("Basic", .none), (token, .none),
        ("vapid t=a.b.c, k=d", .none), ("WebPush a.b.c", .none), ("Digest username=a", .none),
        // The rest is wrong.
        ("Basic %%%", .refused(.wrongCredential)),
        (basic("no colon"), .refused(.wrongCredential)),
        (basic("anybody:"), .refused(.wrongCredential)),
        (basic(token + ":"), .refused(.wrongCredential)),
        ("Bearer a b", .refused(.wrongCredential)),
        ("Basic YTpi YTpi", .refused(.wrongCredential)),
        ("Bearer " + String(repeating: "a", count: 129), .refused(.wrongCredential)),
        ("Bearer " + longest, .device(longest, inURL: false)),
    ]

    private static let longest = String(repeating: "a", count: 128)

    @Test(arguments: authorizations, TopicFace.allCases)
    func authorization(_ row: (String, Outcome), _ face: TopicFace) {
        #expect(outcome(fields([("Authorization", row.0)]), face) == row.1)
        #expect(outcome(fields([("AUTHORIZATION", row.0)]), face) == row.1)
    }

    @Test(
        "The query may have a whole field, and counts before the header", arguments: authorizations)
    func encodedField(_ row: (String, Outcome)) {
        let expected: Outcome =
            switch row.1 {
            case .token(let text, _): .token(text, inURL: true)
            case .device(let text, _): .device(text, inURL: true)
            case .none, .refused: row.1
            }
        guard !row.0.isEmpty else { return }
        for name in ["auth", "authorization"] {
            let header = [("Authorization", "Bearer " + other)]
            let query = "a=b&\(name)=\(encoded(row.0))"
            #expect(outcome(fields(header, query), .ntfy) == expected)
        }
    }

    @Test func queryThatIsNoBase64() {
        #expect(outcome(fields([], "auth=%25%25"), .ntfy) == .refused(.badEncoding))
        #expect(outcome(fields([], "auth=a"), .gotify) == .refused(.badEncoding))
        // Padding and the other alphabet do no harm.
        let padded = Base64.text(Array("Bearer \(token)?>".utf8).span)
        let query = "auth=" + PercentEncoding.encoded(padded)
        #expect(outcome(fields([], query), .ntfy) == .device(token + "?>", inURL: true))
        // An empty one says nothing, and names are in lower case.
        let header = [("Authorization", "Bearer " + token)]
        for query in ["auth=", "auth", "Auth=a", "xauth=a"] {
            #expect(outcome(fields(header, query), .ntfy) == .token(token, inURL: false))
        }
    }

    @Test("Gotify's order: the query, its own field, Bearer, Basic")
    func order() {
        let key = [("X-Gotify-Key", other), ("Authorization", "Bearer " + token)]
        #expect(outcome(fields(key, "token=\(token)"), .gotify) == .token(token, inURL: true))
        #expect(outcome(fields(key), .gotify) == .token(other, inURL: false))
        #expect(outcome(fields(key, "token="), .gotify) == .token(other, inURL: false))
        let empty = [("x-gotify-key", ""), ("Authorization", basic("me:" + token))]
        #expect(outcome(fields(empty), .gotify) == .token(token, inURL: false))
        // A wrong one hides none.
        #expect(outcome(fields(key, "token=wrong"), .gotify) == .device("wrong", inURL: true))
        // At ntfy's paths these are somebody else's.
        #expect(outcome(fields(key, "token=\(other)"), .ntfy) == .token(token, inURL: false))
        #expect(outcome(fields([("X-Gotify-Key", other)], "token=\(other)"), .ntfy) == .none)
        // Proxmox sends both.
        let both = [("Authorization", "Bearer " + other), ("X-Gotify-Key", other)]
        #expect(outcome(fields(both), .gotify) == .token(other, inURL: false))
    }

    @Test("For pages of other sites Basic does not count, and cookies never do")
    func foreign() {
        let basic = ("Authorization", basic("me:" + token))
        let sites = ["cross-site", "same-site", "", "Same-Origin"].map { ("Sec-Fetch-Site", $0) }
        for face in TopicFace.allCases {
            for site in sites {
                #expect(outcome(fields([site, basic]), face) == .none)
                let bearer = ("Authorization", "Bearer " + token)
                #expect(outcome(fields([site, bearer]), face) == .token(token, inURL: false))
            }
            #expect(outcome(fields([basic]), face, foreign: true) == .none)
            let wrong = ("Authorization", "Basic %%%")
            #expect(outcome(fields([wrong]), face, foreign: true) == .none)
            for site in ["same-origin", "none"] {
                let own = [("sec-fetch-site", site), basic]
                #expect(outcome(fields(own), face) == .token(token, inURL: false))
            }
            // One bad word is enough.
            for words in [["none", "cross-site"], ["cross-site", "none"]] {
                let both = words.map { ("Sec-Fetch-Site", $0) } + [basic]
                #expect(outcome(fields(both), face) == .none)
            }
            let query = "auth=" + encoded("Basic " + Base64.text(Array("a:\(token)".utf8).span))
            #expect(outcome(fields([], query), face, foreign: true) == .token(token, inURL: true))
            #expect(outcome(fields([("Cookie", "token=" + token)]), face) == .none)
        }
        let key = fields([("X-Gotify-Key", other)])
        #expect(outcome(key, .gotify, foreign: true) == .token(other, inURL: false))
        let inQuery = fields([], "token=" + other)
        #expect(outcome(inQuery, .gotify, foreign: true) == .token(other, inURL: true))
    }

    @Test("A link or picture changes something only if its URL has the credential")
    func loads() {
        for (word, isLoad) in [("image", true), ("document", true), ("", true), ("empty", false)] {
            let header = [("Sec-Fetch-Dest", word), ("Authorization", "Bearer " + token)]
            let found = Outcome.token(token, inURL: false)
            let expected = isLoad ? .refused(.forbidden) : found
            #expect(outcome(fields(header), .ntfy, changes: true) == expected)
            #expect(outcome(fields(header), .ntfy) == found)
            let query = "auth=" + encoded("Bearer " + token)
            #expect(
                outcome(fields(header, query), .ntfy, changes: true) == .token(token, inURL: true))
        }
        #expect(
            outcome(fields([("Sec-Fetch-Dest", "image")]), .ntfy, changes: true)
                == .refused(.forbidden))
        for words in [["empty", "image"], ["image", "empty"]] {
            let both = words.map { ("Sec-Fetch-Dest", $0) }
            #expect(outcome(fields(both), .ntfy, changes: true) == .refused(.forbidden))
        }
        #expect(outcome(fields([]), .ntfy, changes: true) == .none)
    }

    @Test("Bytes that are no text, and cut ones, never do more than be refused")
    func hostile() {
        let whole = Array(("Basic " + Base64.text([0xFF, 0x3A, 0xFF].span)).utf8)
        for length in 0...whole.count {
            var fields = CallerFields()
            let name = Array("authorization".utf8)
            fields.record(name.span, whole.span.extracting(0..<length))
            let found = outcome(fields, .ntfy)
            #expect(found == .none || found == .refused(.wrongCredential) || length == whole.count)
        }
        #expect("\(fields([], "token=secret"))" == "<CallerFields>")
    }
}

@Suite("Callers without a credential")
struct AnonymousCallerTests {
    private func caller(
        _ header: [(String, String)] = [], host: String = "localhost:8443", isHere: Bool = true,
        isOpen: Bool = true
    ) -> TopicCaller {
        AnonymousCaller(isListenerForThisMachine: isHere, isRegistrationOpen: isOpen, host: host)
            .caller(fields(header, "auth=a"))
    }

    @Test("A program of this machine is one only where both listener and registration say so")
    func doors() {
        #expect(caller() == .thisMachine)
        #expect(caller(isHere: false) == .stranger)
        #expect(caller(isOpen: false) == .stranger)
    }

    @Test(
        "What a browser or a proxy adds makes a stranger",
        arguments: [
            "Origin", "Referer", "Cookie", "Sec-Fetch-Site", "Sec-Fetch-Mode", "sec-fetch-dest",
            "Sec-Fetch-", "Forwarded", "X-Forwarded-For", "x-forwarded-proto", "X-FORWARDED-",
            "Via",
        ])
    func marks(_ name: String) {
        for value in ["", "none", "same-origin", "http://localhost:8443"] {
            #expect(caller([(name, value)]) == .stranger)
            #expect(caller([("Accept", "*/*"), (name.lowercased(), value)]) == .stranger)
        }
    }

    @Test(arguments: ["User-Agent", "Host", "Origins", "Sec-Fetch", "X-Forwarded", "X-Title", "Vi"])
    func noMarks(_ name: String) { #expect(caller([(name, "1")]) == .thisMachine) }

    @Test(
        arguments: [
            "localhost", "LocalHost:1", "127.0.0.1", "127.8.9.1:65535", "[::1]", "[::1]:8443",
            "[0:0::1]", "[::ffff:127.0.0.1]:80",
        ])
    func hosts(_ host: String) { #expect(caller(host: host) == .thisMachine) }

    @Test(
        arguments: [
            "", "localhost.", "localhost.example", "a.localhost", "localhost:", "localhost:x",
            "localhost:65536", "localhost:1:1", "me@localhost", "localhost@evil", " localhost",
            "127.1", "0x7f.0.0.1", "2130706433", "127.0.0.1.nip.io", "0.0.0.0", "10.0.0.1", "::1",
            "[::1", "::1]", "[::1]x", "[::2]", "[127.0.0.1]", "[localhost]", "[::1%25lo]",
            "bellwire.example",
        ])
    func otherHosts(_ host: String) { #expect(caller(host: host) == .stranger) }
}
