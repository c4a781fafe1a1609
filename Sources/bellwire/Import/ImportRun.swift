import Base
import Crypto
import Notifications
import Topics
import WebPush

/// Takes what a plan says, over the API of the running server, or only finds out what it would take.
struct ImportRun {
    /// Without a file, a batch is no longer than this.
    private static let (messagesAtOnce, bytesAtOnce) = (200, 1 << 20)
    private static let messagesPath = "/api/v1/messages"

    let plan: ImportPlan
    let source: any ForeignSource
    let control: ControlConnection
    let isDryRun: Bool
    let takesScheduled: Bool
    let now: Int64
    let progress: Progress?

    func report() throws -> ImportedReport {
        var report = ImportedReport(plan.refusals, isDryRun: isDryRun)
        let known = try RegistrationsPath.topics(control).filter { $0.owner == nil }
        var ids: [TopicName: String] = [:]
        let steps = plan.topics.count + plan.tokens.count
        for (index, topic) in plan.topics.enumerated() {
            progress?.advance("importing", to: index, of: steps)
            do {
                let there = known.first { $0.account == topic.name.text }
                let id = try there.map(Self.id) ?? make(topic)
                ids[topic.name] = id
                report.topics.append(try take(topic, id, isNew: there == nil))
            } catch let error as CommandError where error.exitCode == .refused {
                report.refuse(.topic, topic.source.name, error.message)
            }
        }
        for (index, token) in plan.tokens.enumerated() {
            progress?.advance("importing", to: plan.topics.count + index, of: steps)
            do {
                if let row = try take(token, ids) { report.tokens.append(row) }
            } catch let error as CommandError where error.exitCode == .refused {
                report.refuse(.token, token.name, error.message)
            }
        }
        progress?.end()
        return report
    }

    private static func id(_ topic: ListedRegistration) throws -> String {
        guard topic.heard == Dialect.plain.word else {
            throw CommandError.refused("a topic of this name takes another format")
        }
        return topic.id
    }

    /// Nil in a dry run.
    private func make(_ topic: ImportPlan.Topic) throws -> String? {
        guard !isDryRun else { return nil }
        let details = TopicDetails {
            $0.isOpen = topic.isOpen
            $0.application = topic.source.application
        }
        let request = TopicAddress.request(topic.name.text, .plain, details)
        let made = try control.send("POST", RegistrationsPath.all, request)
        return try MadeRegistration(answer: made).id
    }
}

/// Messages.
extension ImportRun {
    private func take(
        _ topic: ImportPlan.Topic, _ id: String?, isNew: Bool
    ) throws -> ImportedReport.Topic {
        let found = try source.messages(of: topic.source)
        var row = ImportedReport.Topic(
            name: topic.name.text, former: topic.source.name, isNew: isNew, isOpen: topic.isOpen)
        row.unreadable = found.unreadable
        let scheduled = found.messages.count { $0.time > now }
        let wanted =
            takesScheduled ? found.messages : found.messages.filter { $0.time <= now }
        row.scheduled = takesScheduled ? 0 : scheduled
        guard let id else {
            row.taken = wanted.count
            row.files = wanted.count { $0.file != nil }
            return row
        }
        var answers = Answers()
        for batch in Self.batches(wanted) {
            answers.add(try send(batch.map { $0.json() }, to: id, isTrial: true))
        }
        let fresh = answers.fresh(wanted, &row)
        guard !isDryRun else {
            row.taken = fresh.count
            row.files = fresh.count { $0.file != nil }
            return row
        }
        for batch in Self.batches(fresh) { try take(batch, to: id, &row) }
        return row
    }

    /// Those with files go alone.
    private static func batches(_ messages: [ForeignMessage]) -> [[ForeignMessage]] {
        var (batches, batch, bytes) = ([[ForeignMessage]](), [ForeignMessage](), 0)
        func isFull(_ message: ForeignMessage) -> Bool {
            batch.count == messagesAtOnce || bytes > bytesAtOnce || message.file != nil
                || batch.last?.file != nil
        }
        for message in messages {
            if !batch.isEmpty, isFull(message) {
                batches.append(batch)
                (batch, bytes) = ([], 0)
            }
            batch.append(message)
            bytes += message.json().utf8.count
        }
        return batch.isEmpty ? batches : batches + [batch]
    }

    private func take(
        _ batch: [ForeignMessage], to id: String, _ row: inout ImportedReport.Topic
    ) throws {
        let file = try batch.first?.file.flatMap { try source.file($0) }
        if batch.first?.file != nil, file == nil { row.lostFiles += 1 }
        let answer = try send(batch.map { $0.json(with: file) }, to: id, isTrial: false)
        for word in answer.results {
            switch word {
            case "taken":
                row.taken += 1
                if file != nil { row.files += 1 }
            case "without-file":
                row.taken += 1
                row.lostFiles += 1
            default: row.count(word)
            }
        }
    }

    private func send(
        _ messages: [String], to id: String, isTrial: Bool
    ) throws -> TakenMessages {
        let body = JSONWriter.object { writer in
            writer.member("registration", id)
            writer.member("dry_run", isTrial)
            writer.name("messages")
            writer.array { writer in for message in messages { writer.raw(message) } }
        }
        guard let root = JSONNode(json: try control.send("POST", Self.messagesPath, body)) else {
            throw CommandError.unreadable
        }
        return TakenMessages(
            results: root["results"]?.elements.map { $0.text ?? "" } ?? [],
            room: Int(root["room"]?["messages"]?.integer ?? 0),
            bytes: Int(root["room"]?["bytes"]?.integer ?? 0))
    }

    private struct TakenMessages {
        let results: [String]
        let room: Int
        let bytes: Int
    }

    /// What trials said of all messages of a topic.
    private struct Answers {
        private var results: [String] = []
        private var room = Int.max
        private var bytes = Int.max

        mutating func add(_ answer: TakenMessages) {
            results += answer.results
            // No trial changes anything, so the largest room is that before the first.
            room = results.count == answer.results.count ? answer.room : max(room, answer.room)
            bytes = results.count == answer.results.count ? answer.bytes : max(bytes, answer.bytes)
        }

        /// The newest that there is room for, the oldest first.
        func fresh(
            _ messages: [ForeignMessage], _ row: inout ImportedReport.Topic
        ) -> [ForeignMessage] {
            var (fresh, left, leftBytes) = ([ForeignMessage](), room, bytes)
            for (message, word) in zip(messages, results).reversed() {
                guard word == "taken" || word == "full" else {
                    row.count(word)
                    continue
                }
                let size = message.json().utf8.count
                guard left > 0, leftBytes > size else {
                    row.count("full")
                    continue
                }
                (left, leftBytes) = (left - 1, leftBytes - size)
                fresh.append(message)
            }
            return fresh.reversed()
        }
    }
}

/// Tokens.
extension ImportRun {
    /// Nil for a new token in a dry run, or one that was made before.
    private func take(
        _ token: ImportPlan.Token, _ ids: [TopicName: String]
    ) throws -> ImportedReport.Token? {
        var request = TokenRequest()
        request.form = token.form.requestWord
        if let topic = token.topic {
            guard let id = ids[topic] else {
                guard isDryRun else { return nil }
                return ImportedReport.Token(token, .taken)
            }
            request.registration = id
        } else {
            request.pattern = token.pattern?.text
        }
        (request.reads, request.writes) = (
            token.rights.contains(.read), token.rights.contains(.write)
        )
        request.ends = token.rights.contains(.end)
        request.expires = token.end.map { Int(min(max(1, $0 - now), Self.longestLife)) }
        guard let text = token.text else { return try make(token, request) }
        (request.hash, request.isTrial) = (try Self.hash(text), true)
        // A trial answers only with a token that is there.
        guard try send(request, named: token.name).isEmpty else {
            return ImportedReport.Token(token, .known)
        }
        request.isTrial = false
        if !isDryRun { _ = try send(request, named: token.name) }
        return ImportedReport.Token(token, .taken)
    }

    /// A year, as for any token.
    private static let longestLife: Int64 = 31_622_400
    private static let attempts = 20

    private static func hash(_ text: String) throws(OpenSSLError) -> String {
        var hash = try SHA256()
        let digest = Digest(try hash.digest(of: Array(text.utf8).span))
        return Base64URL.text(digest.bytes.span)
    }

    /// Of several tokens with one name, later ones get a number.
    private func send(_ request: TokenRequest, named name: String) throws -> [UInt8] {
        var request = request
        for attempt in 1... {
            request.name = attempt == 1 ? name : "\(name) \(attempt)"
            do {
                return try control.send("POST", Command.tokensPath, request.json)
            } catch let error as CommandError {
                let isTaken = error.message.contains("with that name")
                guard isTaken, attempt < Self.attempts else { throw error }
            }
        }
        throw CommandError.unreadable
    }

    /// For somebody who has no token there, unless it was made before.
    private func make(
        _ token: ImportPlan.Token, _ request: TokenRequest
    ) throws -> ImportedReport.Token? {
        var request = request
        request.name = token.name
        let tokens = try [ListedToken](answer: try control.send("GET", Command.tokensPath))
        guard !tokens.contains(where: { $0.name == token.name && $0.owner == nil }) else {
            return ImportedReport.Token(token, .known)
        }
        guard !isDryRun else { return ImportedReport.Token(token, .made("")) }
        let answer = try control.send("POST", Command.tokensPath, request.json)
        return ImportedReport.Token(
            token, .made(try ListedToken(answer: answer).token ?? ""))
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
