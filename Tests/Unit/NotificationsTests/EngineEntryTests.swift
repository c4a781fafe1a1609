import Base
import TestSupport
import Testing

@testable import Notifications

@Suite("Journal entries of an engine")
struct EngineEntryTests {
    // Made each time, because leak checkers report the payloads of a constant's cases.
    private static var entries: [EngineEntry] {
        [
            .time, .request(Array("{}".utf8)),
            .push(payload: [1, 2], .matrix, .clear, id: ""),
            .push(payload: [], .plain, .mtproto, id: "a push"),
            .push(payload: [3], .plain, .clear, isTrusted: true, id: ""),
            .push(payload: [3, 4], .plain, .webpush, name: "topic:1:a"),
            .push(payload: [], .plain, .clear, isTrusted: true, id: "a", name: "b"),
            .push(payload: [5], .plain, .clear, name: "b", picture: "AbCdEf012345"),
            .withdrawal(name: "push:1:2", .webpush),
            .room,
            .registration([5], nil),
            .registration([5, 6], RegisteredDevice.Encryption(keyID: -7, secret: [8, 9])),
        ]
    }

    @Test("An entry is read back as written, and prints nothing", arguments: entries)
    func roundTrip(entry: EngineEntry) throws {
        #expect(try EngineEntry(entry.bytes).bytes == entry.bytes)
        #expect("\(entry)" == "<EngineEntry>")
    }

    @Test("Each dialect has the number and the word that it always had")
    func dialects() {
        let dialects: [Dialect] = [
            .auto, .telegram, .matrix, .icq, .zpns, .declarative, .plain, .alertmanager, .grafana,
            .github, .uptimeKuma, .homeAssistant,
        ]
        let numbers = dialects.map { dialect in
            EngineEntry.push(payload: [], dialect, .webpush, id: "").bytes[1]
        }
        #expect(numbers == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
        #expect(
            dialects.map(\.word) == [
                "auto", "telegram", "matrix", "icq", "zpns", "declarative", "plain", "alertmanager",
                "grafana", "github", "uptime-kuma", "home-assistant",
            ])
        #expect(Dialect.allCases.starts(with: dialects))
    }

    @Test("Each kind of entry begins with the number that it always had")
    func kinds() {
        let encryption = RegisteredDevice.Encryption(keyID: 1, secret: [2])
        let entries: [EngineEntry] = [
            .time, .request([]), .push(payload: [], .plain, .clear, id: ""), .registration([], nil),
            .start, .raw(payload: [], encoding: ""), .withdrawal(name: "", .clear), .room,
        ]
        #expect(entries.map { $0.bytes.first } == [0, 1, 2, 3, 4, 5, 6, 7])
        #expect(EngineEntry.registration([], encryption).bytes.first == 3)
        let levels: [TrustLevel] = [.clear, .webpush, .mtproto]
        for isTrusted in [false, true] {
            let bytes = levels.map { level in
                EngineEntry.push(payload: [], .plain, level, isTrusted: isTrusted, id: "").bytes
            }
            #expect(bytes.map { $0[2] } == [0, 1, 2])
            #expect(bytes.allSatisfy { $0[3] == (isTrusted ? 1 : 0) })
        }
    }

    @Test(
        "Invalid values are damage",
        arguments: [
            [], [8], [0, 0], [1], [1, 1], [2], [2, 0], [2, 99, 0, 0, 0, 0, 0, 0],
            [2, 0, 3, 0, 0, 0, 0, 0], [2, 0, 0, 2, 0, 0, 0, 0], [2, 0, 0, 0, 1],
            [2, 0, 0, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 0, 0, 0, 0],
            [2, 0, 0, 0, 1, 255, 0, 0, 0], [2, 0, 0, 0, 0x80, 0, 0, 0, 0], [3, 0], [3, 0, 2],
            [3, 0, 1], [4, 0], [5, 0], [6, 1], [6, 0, 9], [7, 0],
        ])
    func damage(bytes: [UInt8]) {
        #expect(throws: EngineEntry.Damage.self) { try EngineEntry(bytes) }
    }

    @Test(
        "A host's own request is stored in the journal as a client's, as it always was")
    func ownRequests() throws {
        var (fetched, ringing) = (SourceChange(), SourceChange())
        fetched.isFetched = true
        (ringing.notifyMode, ringing.sessionTimeout) = (.sendOnlyOne, 60)
        var paused = SourceChange()
        paused.isPaused = true
        let looks = try JSONDocument(Array(#"{"sound":"a","loc_args":["srcName"]}"#.utf8)).root
        var both = SourceChange(presentation: looks)
        both.notifyMode = .disabled
        let requests: [(HostRequest, String)] = [
            (.setUser(7), #"{"@type":"bellwire.setMe","user_id":7}"#),
            (.release, #"{"@type":"bellwire.release"}"#),
            (.setRaw(true), #"{"@type":"bellwire.setRaw","active":true}"#),
            (
                .abandonFetching,
                #"{"@type":"bellwire.setFetching","active":false,"abandoned":true}"#
            ),
            (.heard(through: 3), #"{"@type":"bellwire.heard","through":3}"#),
            (.actionTaken(4), #"{"@type":"bellwire.actionTaken","id":4}"#),
            (.setSource(fetched), #"{"@type":"bellwire.setSource","fetched":true}"#),
            (.setSource(paused), #"{"@type":"bellwire.setSource","paused":true}"#),
            (
                .setSource(ringing),
                #"{"@type":"bellwire.setSource","notify_mode":"sendOnlyOne","session_timeout":60}"#
            ),
            (
                .setSource(SourceChange(presentation: looks)),
                #"{"@type":"bellwire.setSource","presentation":{"sound":"a","loc_args":["srcName"]}}"#
            ),
            (
                .setSource(both),
                #"{"@type":"bellwire.setSource","notify_mode":"disabled","presentation":{"sound":"a","loc_args":["srcName"]}}"#
            ),
        ]
        for (request, text) in requests {
            let entry = EngineEntry.own(request)
            #expect(entry.bytes == EngineEntry.request(Array(text.utf8)).bytes)
            // Applying it directly or from the journal has the same result.
            var (done, again) = (Self.engine(), Self.engine())
            #expect(done.perform(entry, now: 20) == .ok)
            again.replay(try EngineEntry(entry.bytes), at: 20, .english)
            #expect(again.account.state == done.account.state)
            let isSignOfLife =
                text.contains("setSource") && !text.contains(#"setSource","presentation"#)
            #expect(done.account.source.lastActivity == (isSignOfLife ? 20 : 0))
        }
    }

    /// With something for each of those requests to change.
    private static func engine() -> Engine {
        var account = Account()
        account.options = [OptionName.groupCountMax: .integer(5)]
        account.source.rung = ["a"]
        var engine = Engine(account)
        engine.start(now: 10)
        _ = engine.process(payload: Array("{}".utf8), dialect: .telegram, level: .webpush, now: 11)
        return engine
    }

    @Test("A push is applied once, by the identifier of its transport")
    func repeated() {
        var account = Account()
        account.options = [OptionName.groupCountMax: .integer(5)]
        let none = HostedEngine.Cryptography(secret: { _ in nil }, open: { _, _ in nil })
        var hosted = HostedEngine(account, cryptography: none, templates: .english, now: 1)
        for _ in 0..<2 {
            _ = hosted.process(Array("hello".utf8), .plain, .webpush, id: "7", now: 2)
        }
        #expect(hosted.engine.activeGroups.first?.totalCount == 1)
        // The start, and the same operation twice.
        #expect(hosted.takeUnsaved().count == 3 && hosted.takeUnsaved().isEmpty)
    }
}
