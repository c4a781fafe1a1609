import Mailbox
import Testing

@testable import Cluster

@Suite("What servers answer")
struct AnswerTests {
    private func server(
        _ name: String, _ syncs: Bool?, of count: Int, _ version: String = "2.15.1"
    ) -> NatsConnection.Answer {
        let rule = syncs.map { ",\"sync_always\":\($0)" } ?? ""
        let text = """
            {"server":{"id":"id of \(name)","name":"\(name)","ver":"\(version)"},
            "data":{"config":{"strict":true\(rule)},"meta_cluster":{"cluster_size":\(count)}}}
            """
        return .message(NatsMessage(subject: "inbox", body: Array(text.utf8)))
    }

    @Test("One server that does not sync is enough", arguments: [true, false, nil])
    func survey(_ syncs: Bool?) {
        var survey = ServerSurvey()
        let isFirstLast = survey.receive(server("a", true, of: 2))
        let isSecondLast = survey.receive(server("b", syncs, of: 2))
        #expect(!isFirstLast && isSecondLast)
        #expect(survey.report?.unsynced == (syncs == true ? [] : ["b"]))
        #expect(survey.report?.unsafe == [] && survey.report?.doubtful == (syncs == true ? 0 : 1))
    }

    @Test("Nobody who may be asked is no answer")
    func nobody() {
        var survey = ServerSurvey()
        let refusal = NatsMessage(subject: "", fields: ["Status": "503"])
        for answer in [NatsConnection.Answer.message(refusal), .lost] {
            let isLast = survey.receive(answer)
            #expect(isLast && survey.report == nil)
        }
    }

    @Test("A version that is known to lose confirmed writes is named")
    func unsafe() throws {
        var survey = ServerSurvey()
        for (index, version) in ["2.14.5", "2.15.1", "2.12.15"].enumerated() {
            _ = survey.receive(server("n\(index)", true, of: 3, version))
        }
        #expect(survey.report?.unsafe == ["n0 (2.14.5)", "n2 (2.12.15)"])
        #expect(survey.report?.unsynced == [] && survey.report?.doubtful == 2)
    }

    @Test(
        "Which versions lose writes is known",
        arguments: [
            ("2.10.26", true), ("2.12.15", true), ("2.12.16", false), ("2.12.100", false),
            ("2.13.0", true), ("2.14.5", true), ("2.14.6-RC.1", false), ("2.15.0-dev", false),
            ("2.15.1", false), ("3.0.0", false), ("", nil), ("2.14", nil), ("a.b.c", nil),
        ] as [(String, Bool?)])
    func version(_ text: String, _ loses: Bool?) {
        #expect(ServerVersion(text)?.losesWrites == loses)
    }

    @Test("An entry in parts is the same as before, and one that never ended is left out")
    func parts() throws {
        var collector = LogPartCollector()
        let entry = CommitEntry(
            name: .max, position: -1, sequence: .max, changes: Array(0...99), news: [7],
            schema: 99)
        let bodies = LogPart.bodies(entry, longest: 50)
        #expect(bodies.count == 3)
        var found: [NumberedEntry] = []
        for (sequence, index) in [(1, 0), (2, 1), (3, 0), (4, 1), (5, 2)] {
            let name = sequence < 3 ? "1" : LogPart.name(of: entry)
            let fields = [
                "Nats-Sequence": "\(sequence)", "Nats-Subject": "bw.log", LogPart.name: name,
                LogPart.rest: "\(2 - index)", LogPart.schema: "99",
            ]
            let message = NatsMessage(subject: "told", body: bodies[index], fields: fields)
            let part = try #require(StreamMessage(message))
            if let whole = collector.receive(part) { found.append(whole) }
        }
        #expect(found == [NumberedEntry(number: 5, entry: entry)])
        // One without a number is not passed over, but is of no schema that a store follows.
        let old = LogPart.entry(name: "1", schema: nil, bodies.flatMap(\.self))
        #expect(old?.schema == 0 && old?.changes == entry.changes)
        #expect(LogPart.entry(name: "1", schema: "x", bodies.flatMap(\.self)) == nil)
    }
}
