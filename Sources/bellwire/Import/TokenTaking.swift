import Base
import Crypto
import Topics
import WebPush

/// Takes tokens over, of which the server gets the hash alone.
struct TokenTaking {
    /// A token, and what is known of it before anything is changed.
    struct Wanted: Confidential {
        let token: ImportPlan.Token
        let isKnown: Bool
    }

    private let control: ControlConnection
    private let isDryRun: Bool
    private let now: Int64
    /// The names of those that are there.
    private let names: Set<String>
    let count: Int

    /// A year, as for any token.
    private static let longestLife: Int64 = 31_622_400
    private static let attempts = 20

    init(_ control: ControlConnection, isDryRun: Bool, now: Int64) throws {
        (self.control, self.isDryRun, self.now) = (control, isDryRun, now)
        let own = try [ListedToken](answer: try control.send("GET", Command.tokensPath))
            .filter { $0.owner == nil }
        (names, count) = (Set(own.map(\.name)), own.count)
    }

    /// Finds out which are there. `topics` are those that the caller has, by their names.
    func survey(
        _ tokens: [ImportPlan.Token], _ topics: [String: ListedRegistration],
        _ report: inout ImportedReport
    ) throws -> [Wanted] {
        var found: [Wanted] = []
        for token in tokens {
            do {
                let isKnown = try isKnown(token, id: token.topic.flatMap { topics[$0.text]?.id })
                found.append(Wanted(token: token, isKnown: isKnown))
            } catch let error as CommandError where error.exitCode == .refused {
                report.refuse(.token, token.name, error.message)
            }
        }
        return found
    }

    private func isKnown(_ token: ImportPlan.Token, id: String?) throws -> Bool {
        guard let text = token.text else { return names.contains(token.name) }
        // With a new topic, nobody knows its token.
        guard var request = request(token, id: id) else { return false }
        (request.name, request.hash, request.isTrial) = (token.name, try Self.hash(text), true)
        // A trial answers only with a token that is there.
        return try !control.send("POST", Command.tokensPath, request.json).isEmpty
    }

    /// Nil for that of an application whose topic is not there.
    private func request(_ token: ImportPlan.Token, id: String?) -> TokenRequest? {
        guard token.topic == nil || id != nil else { return nil }
        var request = TokenRequest()
        request.form = token.form.requestWord
        (request.registration, request.pattern) = (id, token.pattern?.text)
        (request.reads, request.writes) = (
            token.rights.contains(.read), token.rights.contains(.write)
        )
        request.ends = token.rights.contains(.end)
        request.expires = token.end.map { Int(min(max(1, $0 - now), Self.longestLife)) }
        return request
    }

    /// `ids` are those of the topics that were taken.
    func take(_ wanted: Wanted, _ ids: [TopicName: String]) throws -> ImportedReport.Token {
        let token = wanted.token
        guard !wanted.isKnown else { return ImportedReport.Token(token, .known) }
        guard !isDryRun else {
            return ImportedReport.Token(token, token.text == nil ? .made("") : .taken)
        }
        guard var request = request(token, id: token.topic.flatMap { ids[$0] }) else {
            throw CommandError.refused("its topic is not taken")
        }
        guard let text = token.text else {
            request.name = token.name
            let answer = try control.send("POST", Command.tokensPath, request.json)
            return ImportedReport.Token(
                token, .made(try ListedToken(answer: answer).token ?? ""))
        }
        request.hash = try Self.hash(text)
        try send(request, named: token.name)
        return ImportedReport.Token(token, .taken)
    }

    private static func hash(_ text: String) throws(OpenSSLError) -> String {
        var hash = try SHA256()
        let digest = Digest(try hash.digest(of: Array(text.utf8).span))
        return Base64URL.text(digest.bytes.span)
    }

    /// Of several tokens with one name, later ones get a number.
    private func send(_ request: TokenRequest, named name: String) throws {
        var request = request
        for attempt in 1... {
            request.name = attempt == 1 ? name : "\(name) \(attempt)"
            do {
                _ = try control.send("POST", Command.tokensPath, request.json)
                return
            } catch let error as CommandError {
                let isTaken = error.message.contains("with that name")
                guard isTaken, attempt < Self.attempts else { throw error }
            }
        }
    }
}

extension TopicToken.Form {
    fileprivate var requestWord: String {
        switch self {
        case .access: TokenRequest.ntfy
        case .application: TokenRequest.application
        case .client: TokenRequest.client
        }
    }
}
