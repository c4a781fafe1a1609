import Base
import Mailbox
import Notifications
import Topics
import WebPush

/// Takes what a plan says, over the API of the running server, or only finds out what it would take.
struct ImportRun {
    /// Without a file, a batch is no longer than this.
    private static let (messagesAtOnce, bytesAtOnce) = (200, 1 << 20)
    /// The longest text, with six characters for each of its bytes, and what else a message says.
    private static let longest = 8 << 20
    private static let messagesPath = "/api/v1/messages"

    let plan: ImportPlan
    let source: any ForeignSource
    let control: ControlConnection
    let isDryRun: Bool
    let takesScheduled: Bool
    let now: Int64
    let progress: Progress?

    /// What stands in the way of everything is found out before anything is changed.
    func report() throws -> ImportedReport {
        var report = ImportedReport(plan.refusals, isDryRun: isDryRun)
        let known = try RegistrationsPath.topics(control).filter { $0.owner == nil }
        let there = Dictionary(known.map { ($0.account, $0) }) { first, _ in first }
        let fresh = plan.topics.count { there[$0.name.text] == nil }
        try Self.check(fresh, beside: known.count, limit: OwnerLimits.topics, "topics")
        let tokens = try TokenTaking(control, isDryRun: isDryRun, now: now)
        let wanted = try tokens.survey(plan.tokens, there, &report)
        try Self.check(
            wanted.count { !$0.isKnown }, beside: tokens.count, limit: OwnerLimits.tokens, "tokens")

        var ids: [TopicName: String] = [:]
        let steps = plan.topics.count + wanted.count
        for (index, topic) in plan.topics.enumerated() {
            progress?.advance("importing", to: index, of: steps)
            do {
                let (id, isOpen) = try place(of: topic, there[topic.name.text])
                ids[topic.name] = id
                var row = ImportedReport.Topic(
                    name: topic.name.text, former: topic.source.name,
                    isNew: there[topic.name.text] == nil, isOpen: isOpen)
                try take(topic, id, &row)
                report.topics.append(row)
            } catch let error as CommandError where error.exitCode == .refused {
                report.refuse(.topic, topic.source.name, error.message)
            }
        }
        for (index, token) in wanted.enumerated() {
            progress?.advance("importing", to: plan.topics.count + index, of: steps)
            do {
                report.tokens.append(try tokens.take(token, ids))
            } catch let error as CommandError where error.exitCode == .refused {
                report.refuse(.token, token.token.name, error.message)
            }
        }
        progress?.end()
        return report
    }

    private static func check(
        _ count: Int, beside known: Int, limit: Int, _ words: String
    ) throws {
        guard known + count > limit, count > 0 else { return }
        throw CommandError.refused(
            "there is room for \(max(0, limit - known)) more \(words), and \(count) would come: "
                + "nothing was taken",
            hint: "take what one of its users has, by --user, or some topics, by --topic and the "
                + "address of the server")
    }

    /// The id of its topic here, which is nil for one that a dry run would make, and whether that is
    /// open.
    private func place(
        of topic: ImportPlan.Topic, _ known: ListedRegistration?
    ) throws -> (id: String?, isOpen: Bool) {
        guard let known else { return (try make(topic), topic.isOpen) }
        guard known.heard == Dialect.plain.word else {
            throw CommandError.refused("a topic of this name takes another format")
        }
        var wanted = known.topic?.settings ?? TopicDetails()
        guard topic.isOpen, !wanted.isOpen else { return (known.id, wanted.isOpen) }
        wanted.isOpen = true
        if !isDryRun { wanted = try TopicAddress.change(known.id, to: wanted, control) }
        return (known.id, wanted.isOpen)
    }

    /// Nil in a dry run.
    private func make(_ topic: ImportPlan.Topic) throws -> String? {
        guard !isDryRun else { return nil }
        let details = TopicDetails {
            $0.isOpen = topic.isOpen
            $0.application = topic.source.application
        }
        let request = RegistrationTerms.request(topic: topic.name.text, .plain, details)
        let made = try control.send("POST", RegistrationsPath.all, request)
        return try MadeRegistration(answer: made).id
    }
}

/// Messages.
extension ImportRun {
    private func take(
        _ topic: ImportPlan.Topic, _ id: String?, _ row: inout ImportedReport.Topic
    ) throws {
        let found = try source.messages(of: topic.source)
        // No server takes them.
        let short = found.messages.filter { $0.json().utf8.count <= Self.longest }
        row.unreadable = found.unreadable + found.messages.count - short.count
        let wanted = takesScheduled ? short : short.filter { $0.time <= now }
        row.scheduled = short.count - wanted.count
        guard let id else {
            row.taken = wanted.count
            row.files = wanted.count { $0.file != nil }
            return
        }
        var answers = Answers()
        for batch in Self.batches(wanted) {
            answers.add(try send(batch.map { $0.json() }, to: id, isTrial: true))
        }
        let fresh = answers.fresh(wanted, &row)
        guard !isDryRun else {
            row.taken = fresh.count
            row.files = fresh.count { $0.file != nil }
            return
        }
        for batch in Self.batches(fresh) { try take(batch, to: id, &row) }
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
