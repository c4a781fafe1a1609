import Base
import Foundation
import Testing
import WebPush

@testable import StatusPage

@Suite("The pages with topics")
struct TopicPagesTests {
    private static let hostile = "<script>alert(1)</script>\"'&\u{202E}"
    private let frame = PageFrame(language: .english, formToken: "TOKEN", additions: 3)

    private func topic(_ change: (inout OwnTopic) -> Void = { _ in }) -> OwnTopic {
        var topic = OwnTopic()
        (topic.id, topic.name) = ("AAAA", "builds")
        topic.details.address = "https://push.example/builds"
        change(&topic)
        return topic
    }

    private func token(_ change: (inout ListedToken) -> Void = { _ in }) -> ListedToken {
        ListedToken {
            ($0.id, $0.name, $0.pattern) = (7, "nas", "builds")
            $0.writes = true
            change(&$0)
        }
    }

    private func list(_ topics: [OwnTopic]) -> String {
        String(decoding: TopicsPage(topics, at: 1_000_000, frame).html, as: UTF8.self)
    }

    private func page(
        _ topic: OwnTopic, _ quiet: TopicQuiet = .none, isFresh: Bool = true, done: String? = nil
    ) -> String {
        let page = TopicPage(
            topic, quiet, isFresh: isFresh, at: 1_000_000, frame, done: done)
        return String(decoding: page.html, as: UTF8.self)
    }

    private func made(_ token: ListedToken, at address: String = "https://push.example/builds")
        -> String
    {
        let page = MadeTokenPage(token, for: topic { $0.details.address = address }, frame)
        return String(decoding: page.html, as: UTF8.self)
    }

    @Test("Text from outside is never markup")
    func escapes() {
        let hostile = token { ($0.name, $0.pattern) = (Self.hostile, Self.hostile) }
        let all = topic {
            $0.details.application = ApplicationDetails {
                ($0.name, $0.description) = (Self.hostile, Self.hostile)
            }
            $0.tokens = [hostile]
            $0.refusal = ListedRefusal { ($0.sender, $0.reason) = (Self.hostile, Self.hostile) }
        }
        let removal = String(decoding: RemoveTopicPage(all, frame).html, as: UTF8.self)
        for html in [list([all]), page(all), removal, made(hostile)] {
            #expect(html.contains("&lt;script&gt;alert(1)"))
            #expect(!html.contains("<script>alert") && !html.contains("\u{202E}"))
        }
    }

    @Test("The list says of each topic what it keeps, who reaches it, and what went wrong")
    func facts() {
        let html = list([
            topic {
                ($0.messages, $0.bytes, $0.last) = (12, 3_072, 999_880)
                $0.details.application = ApplicationDetails {
                    ($0.name, $0.description) = ("Nightly builds", "of the server")
                }
                $0.tokens = [token(), token()]
            },
            topic {
                $0.name = "door"
                ($0.details.isOpen, $0.details.keep, $0.isUnheard) = (true, 0, true)
                $0.refusal = ListedRefusal { $0.status = 403 }
            },
        ])
        for text in [
            "<a href=\"/ui/topics/AAAA\"><bdi>Nightly builds</bdi></a>", "of the server",
            ">12 (3 KiB)<", ">2 min ago<", ">who has a token<", ">2</td>", "<bdi>door</bdi>",
            ">keeps nothing<", ">everybody<", "(no screen)", "last refusal: 403",
            "aria-current=\"page\">Topics<", "name=\"once\" value=\"3\"",
        ] { #expect(html.contains(text), "\(text)") }
        #expect(list([]).contains("There is no topic yet."))
        #expect(list([topic { $0.tokens = nil }]).contains(">…</td>"))
    }

    @Test("The page of a topic tells its addresses, and whose tokens open it")
    func addresses() {
        let html = page(topic { $0.tokens = [token { $0.expires = 1_007_200 }] })
        let line = "curl -H &quot;Authorization: Bearer TOKEN&quot; -d &quot;hello&quot; "
        #expect(html.contains(">\(line)https://push.example/builds</code>"))
        #expect(html.contains("<bdi>nas</bdi>") && html.contains(">push</td>"))
        #expect(html.contains(">in 2 h<") && html.contains("value=\"7\""))
        let open = page(topic { $0.details.isOpen = true })
        #expect(open.contains(">curl -d &quot;hello&quot; https://push.example/builds</code>"))
        #expect(open.contains("name=\"open\" value=\"yes\" checked"))
        // Without an address, there is nothing to give to a program.
        let long = page(topic { $0.details.address = nil })
        #expect(long.contains("bellwire topic show") && !long.contains("curl"))
        #expect(!long.contains("name=\"use\"") && !long.contains("name=\"open\""))
    }

    @Test("What was refused is explained, in each language")
    func refusal() {
        let refused = topic {
            $0.refusal = ListedRefusal {
                ($0.sender, $0.status) = ("Grafana", 403)
                ($0.reason, $0.time) = (ListedRefusal.Reason.mayOnlyRead, 999_880)
            }
        }
        let html = page(refused)
        #expect(html.contains("<bdi>Grafana</bdi> got 403 "))
        #expect(html.contains("its token may only read."))
        typealias Reason = ListedRefusal.Reason
        let words = [
            Reason.mayNotPush, Reason.mayOnlyRead, Reason.mayNotRead, Reason.mayNot,
            Reason.otherTopics, Reason.receiveOnly, Reason.expired, Reason.unconfirmed,
            Reason.message + "40004", Reason.message + "1",
        ]
        for language in Language.allCases {
            let texts = words.map { Sentence.refusedSender($0).text(language) }
            #expect(Set(texts).count == words.count)
        }
    }

    @Test("The topic is muted or not, and the form is for the other")
    func quiet() {
        let rings = page(topic())
        #expect(rings.contains("/mute\"") && !rings.contains("/unmute\""))
        let muted = page(topic(), .muted(rest: 7_200))
        #expect(muted.contains("/unmute\"") && muted.contains(">in 2 h<"))
        #expect(!muted.contains("/mute\""))
        #expect(page(topic(), .muted(rest: nil)).contains("/unmute\""))
        let unknown = page(topic(), .unknown)
        #expect(!unknown.contains("mute\"") && unknown.contains("cannot be said now"))
    }

    @Test("The settings are those of the topic, also if they are unusual")
    func settings() {
        let usual = page(topic())
        #expect(usual.contains("<option value=\"\" selected>as long as the server says"))
        let week = page(topic { $0.details.keep = 604_800 })
        #expect(week.contains("<option value=\"604800\" selected>7 days"))
        let odd = page(topic { $0.details.keep = 77 })
        #expect(odd.contains("<option value=\"77\" selected>77 seconds"))
    }

    @Test("A token is made only shortly after signing in")
    func fresh() {
        #expect(page(topic()).contains("name=\"use\""))
        let old = page(topic(), isFresh: false)
        #expect(!old.contains("name=\"use\"") && old.contains("href=\"/ui/login\""))
    }

    @Test(
        "A new token is told in the forms that programs take",
        arguments: [
            (TokenUse.push, "ntfys://me:SECRET@push.example/builds", "-d &quot;hello&quot;"),
            (.read, "ntfys://me:SECRET@push.example/builds", "/builds/json<"),
            (.both, "ntfys://me:SECRET@push.example/builds", "/builds/json<"),
            (.answer, "ntfys://me:SECRET@push.example/builds", "/builds/json<"),
            (.application, "gotifys://push.example/SECRET", "-F message=hello"),
            (.client, "gotifys://push.example/SECRET", "push.example/message<"),
        ])
    func forms(use: TokenUse, address: String, line: String) {
        var request = TokenRequest()
        use.describe(in: &request)
        let html = made(
            token {
                ($0.token, $0.writes) = ("SECRET", request.writes)
                ($0.reads, $0.answers) = (request.reads, request.answers)
                $0.form = request.form ?? $0.form
                $0.slackAddress = "https://push.example/hooks/slack/SECRET"
            })
        for text in [
            ">SECRET</code>", ">\(address)</code>", line,
            ">https://push.example/hooks/slack/SECRET<",
            "<svg class=\"code\"", "data-copy=\"Copy\"",
        ] { #expect(html.contains(text), "\(text)") }
    }

    @Test("Addresses of a server with a path, a port, and without TLS are right, too")
    func bases() {
        let pushing = token { $0.token = "SECRET" }
        let html = made(pushing, at: "http://[::1]:8080/push/builds")
        #expect(html.contains(">ntfy://me:SECRET@[::1]:8080/push/builds<"))
        let application = token { ($0.token, $0.form) = ("SECRET", TokenRequest.application) }
        let gotify = made(application, at: "http://[::1]:8080/push/builds")
        #expect(gotify.contains(">gotify://[::1]:8080/push/SECRET<"))
        #expect(gotify.contains(" http://[::1]:8080/push/message<"))
    }

    @Test("Each failure with topics is explained differently, and leads back")
    func failures() {
        let reasons: [FailurePage.Reason] = [
            .topicName, .topicTaken, .topicLimit, .topicText, .topicOpen, .tokenName, .tokenLimit,
            .tokenSignIn, .messageText, .messageDelay,
        ]
        for language in Language.allCases {
            let pages = reasons.map {
                FailurePage(.init(language: language), $0, back: .topic("AAAA")).html
            }
            #expect(Set(pages).count == reasons.count)
            for page in pages {
                let text = String(decoding: page, as: UTF8.self)
                #expect(text.contains("href=\"/ui/topics/AAAA\""))
                #expect(text.contains("role=\"alert\""))
                #expect(!text.contains("href=\"/ui/status\""))
            }
        }
    }

    @Test("What was done is said, in each language")
    func done() {
        let words = [
            "topic-made", "topic-removed", "topic-changed", "topic-muted", "topic-unmuted",
            "token-revoked", "sent", "delayed",
        ]
        #expect(Set(words.map { page(topic(), done: $0) }).count == words.count)
        #expect(!page(topic(), done: "other").contains("role=\"status\""))
    }
}
