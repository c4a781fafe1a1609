import Base
import Foundation
import Notifications
import Testing
import WebPush

@testable import StatusPage

@Suite("The pages")
struct StatusPageTests {
    private static let hostile = "<script>alert(1)</script>\"'&\u{202E}"

    private func overview(owner: String? = nil, isUnheard: Bool = false) -> Overview {
        var overview = Overview {
            $0.version = "1"
            $0.address = "https://push.example"
            $0.now = 1_000_000
            $0.began = 999_000
            $0.owner = owner
            $0.waitingMessages = 3
            $0.waitingBytes = 640
        }
        overview.devices = [
            .init {
                $0.id = 4
                $0.name = Self.hostile
                $0.owner = "admin"
                $0.isConfirmed = false
            }
        ]
        overview.registrations = [
            registration("AAAA", Self.hostile, "me"), registration("BBBB", "script", "builds"),
        ]
        overview.registrations[0].waiting = 2
        overview.registrations[1].isUnheard = isUnheard
        overview.registrations[1].expires = nil
        overview.failures = [.init(word: "gone", count: 5, status: 410, number: 106)]
        overview.events = [event(9, 999_999_000, "refused", "", "410 gone")]
        overview.counts = owner == nil ? .init() : nil
        overview.durations = durations([1_000, 2_500], [98, 99, 100])
        return overview
    }

    private func registration(
        _ id: String, _ app: String, _ account: String
    ) -> Overview.Registration {
        Overview.Registration {
            $0.id = id
            $0.app = app
            $0.account = account
            $0.owner = "admin"
            $0.expires = 2_000_000
        }
    }

    private func event(
        _ number: Int, _ time: Int, _ kind: String, _ subject: String, _ detail: String = ""
    ) -> Overview.Event {
        Overview.Event {
            $0.number = number
            $0.time = time
            $0.kind = kind
            $0.subject = subject
            $0.detail = detail
        }
    }

    private func durations(_ bounds: [Int], _ counts: [Int]) -> Overview.Durations {
        Overview.Durations {
            $0.bounds = bounds
            $0.counts = counts
        }
    }

    private func html(_ language: Language, owner: String? = nil, done: String? = nil) -> String {
        let frame = PageFrame(language: language, formToken: "TOKEN", additions: 3)
        return String(
            decoding: StatusPage(overview(owner: owner), frame, done: done).html, as: UTF8.self)
    }

    @Test("Text from outside is never markup", arguments: Language.allCases)
    func escapes(language: Language) {
        let html = html(language)
        #expect(!html.contains("<script>alert") && !html.contains("\u{202E}"))
        #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\\u{202e}"))
    }

    @Test("Every form carries the token of the session, and nothing is styled or run inline")
    func forms() {
        let html = html(.english)
        let forms = html.components(separatedBy: "<form ").count - 1
        #expect(forms == html.components(separatedBy: "name=\"csrf\" value=\"TOKEN\"").count - 1)
        #expect(forms == 8)
        for way in ["style=", " onclick", "javascript:"] { #expect(!html.contains(way)) }
        #expect(html.contains("name=\"once\" value=\"3\""))
    }

    @Test("An administrator sees owners and may let devices in; a user does neither")
    func rights() {
        #expect(html(.english).contains("/ui/devices/4/confirm"))
        #expect(html(.english).contains(">Owner<") && html(.english).contains("not let in"))
        let own = html(.english, owner: "uid:7")
        #expect(!own.contains("/confirm") && !own.contains(">Owner<"))
        #expect(own.contains("what belongs to uid:7"))
    }

    @Test("An address that no screen shows is marked, with what to do, and a test of it is honest")
    func unheard() {
        let frame = PageFrame(language: .english, formToken: "TOKEN", additions: 3)
        let text = String(
            decoding: StatusPage(overview(isUnheard: true), frame, done: "test-unheard").html,
            as: UTF8.self)
        #expect(text.contains("builds <span class=\"bad\">(no screen)</span>"))
        #expect(text.contains("run bellwire serve --desktop"))
        #expect(text.contains("no client is connected to this account"))
        #expect(!html(.english).contains("no screen"))
    }

    @Test("What was done is said, and no other word of the address")
    func done() {
        #expect(html(.german, done: "remove").contains("Das Gerät"))
        #expect(!html(.english, done: Self.hostile).contains("class=\"notice\" role=\"status\">"))
    }

    @Test("What is wrong comes first, in colour; and where nothing is, that is said")
    func troubles() {
        let html = html(.english)
        let starts = ["errors", "state", "registrations", "devices", "events", "plots"].compactMap {
            html.range(of: "<div id=\"\($0)\">")?.lowerBound
        }
        #expect(starts.count == 6 && starts == starts.sorted())
        #expect(html.contains("<p class=\"bad\">Devices wait to be let in"))
        #expect(html.contains("<span class=\"bad\">5</span>"))
        var fine = overview()
        (fine.devices, fine.failures) = ([], [])
        let page = StatusPage(fine, PageFrame(language: .english))
        #expect(
            String(decoding: page.html, as: UTF8.self)
                .contains("<p class=\"good\">No push was refused"))
    }

    @Test("Events that say the same are one line, and times say how long ago")
    func groups() {
        var overview = overview()
        overview.events = [
            (9, 999_900, "accepted", "a"), (8, 990_000, "accepted", "b"),
            (7, 980_000, "accepted", "a"), (6, 700_000, "accepted", "c"),
        ].map { number, time, kind, subject in event(number, time * 1_000, kind, subject) }
        let page = StatusPage(overview, PageFrame(language: .english))
        let html = String(decoding: page.html, as: UTF8.self)
        #expect(html.components(separatedBy: "push accepted").count == 4)
        #expect(html.contains("<td data-title=\"Ends\">never</td>"))
        #expect(html.contains("2 × push accepted"))
        for text in [">1 min ago<", ">2 h ago<", ">3 days ago<", ">in 11 days<", "(640 B)"] {
            #expect(html.contains(text), "\(text)")
        }
        #expect(html.contains("title=\"1970-01-12 13:45:00 UTC\""))
    }

    @Test("Each cell has its title beside it, for cards on a phone")
    func cards() {
        let html = html(.english)
        for title in ["Account", "Owner", "Last push", "Waiting", "Ends", "Count"] {
            #expect(html.contains("<td data-title=\"\(title)\">"), "\(title)")
        }
        #expect(html.contains("<td class=\"actions\"><form"))
        #expect(PageFile.style.text.contains("content: attr(data-title)"))
    }

    @Test("Half of all answers, and nearly all of them, stay below a bound")
    func durations() {
        let durations = durations([1_000, 2_500], [98, 99, 100])
        #expect(durations.bound(of: 50) == 1_000 && durations.bound(of: 99) == 2_500)
        #expect(durations.bound(of: 100) == nil)
        #expect(self.durations([1], [0, 0]).bound(of: 50) == nil)
    }

    @Test("The script gets the events again only if there are new ones")
    func live() throws {
        let page = StatusPage(overview(), PageFrame(language: .english))
        for (last, isThere) in [(nil, true), (8, true), (9, false)] {
            let root = try JSONDocument(page.live(after: last)).root
            #expect(root["last"]?.integer == 9 && root["sections"]?["state"] != nil)
            #expect((root["sections"]?["events"] != nil) == isThere)
        }
    }

    @Test("A new device is shown with its addresses and a picture of one")
    func device() {
        let page = DevicePage(
            PageFrame(language: .german),
            MadeDevice {
                $0.name = "Büro"
                $0.bearer = "B"
                $0.websocket = "wss://x/u/B"
                $0.url = "https://x/u/B"
                $0.isReceiveOnly = true
            })
        let html = String(decoding: page.html, as: UTF8.self)
        #expect(html.contains("<code>wss://x/u/B</code>") && html.contains("<svg class=\"code\""))
        #expect(html.contains("lang=\"de\"") && html.contains("Büro darf sich verbinden"))
    }

    @Test("Chats can be muted, muted ones unmuted, and an account paused")
    func chats() throws {
        let answer = """
            {"chats":[{"chat_id":5,"title":"Ann","type":"private","notifications":2},\
            {"chat_id":6,"title":"","type":"group","mute_for":60}],"source":{"paused":true}}
            """
        let chats = ChatList(try JSONDocument(Array(answer.utf8)).root)
        let frame = PageFrame(language: .english, formToken: "TOKEN")
        let page = ChatsPage(
            chats, registration: "AAAA", name: "telegram/me", frame, done: "mute")
        let html = String(decoding: page.html, as: UTF8.self)
        #expect(html.contains("name=\"chat\" value=\"5\""))
        #expect(html.contains("/ui/accounts/AAAA/unmute") && html.contains("Chat 6"))
        #expect(html.contains("/ui/accounts/AAAA/unpause") && html.contains("The chat is muted."))
    }
}
