import Foundation
import TestSupport
import Testing

@Suite("Topics on the page of the server")
struct TopicPageTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    /// Somebody who is signed in.
    private struct Visitor {
        let fixture: ServeFixture
        let base: String
        let cookie: String

        init(_ fixture: ServeFixture) throws {
            self.fixture = fixture
            let parts = try fixture.run(["ui"]).output.dropLast().split(separator: "#")
            let page = String(parts[0])
            let answer = try fixture.curl(
                ["-D", "-", "-o", "/dev/null", "-d", "code=\(parts[1])", page])
            let line = try #require(
                answer.split(separator: "\r\n").first {
                    $0.lowercased().hasPrefix("set-cookie: ")
                })
            cookie = String(line.dropFirst("set-cookie: ".count).prefix { $0 != ";" })
            base = String(page.dropLast("login".count))
        }

        func get(_ path: String) throws -> String {
            try fixture.curl(["-H", "Cookie: \(cookie)", base + path])
        }

        /// Sends a form as it is on that page.
        func post(_ path: String, _ form: String, from page: String? = nil) throws -> String {
            let page = try page ?? get("topics")
            func value(_ name: String) throws -> String {
                let found = try #require(page.range(of: "name=\"\(name)\" value=\"")?.upperBound)
                return String(page[found...].prefix { $0 != "\"" })
            }
            let once = page.contains("name=\"once\"") ? "&once=\(try value("once"))" : ""
            return try fixture.curl(
                [
                    "-H", "Cookie: \(cookie)", "-D", "-", "-d",
                    "csrf=\(try value("csrf"))\(once)&\(form)", base + path,
                ])
        }

        /// Where the answer to a form leads.
        func place(_ answer: String) -> String {
            let line = answer.split(separator: "\r\n").first {
                $0.lowercased().hasPrefix("location: ")
            }
            return String(line?.dropFirst("location: /ui/".count) ?? "")
        }

        /// Makes a topic, and returns its page's path.
        func makeTopic(_ name: String) throws -> String {
            let place = place(try post("topics", "name=\(name)&description=of+the+server"))
            #expect(place.hasSuffix("?done=topic-made"), "\(place)")
            return String(place.prefix { $0 != "?" })
        }
    }

    private func text(_ html: some StringProtocol) -> String {
        html.replacingOccurrences(of: "&quot;", with: "\"").replacingOccurrences(
            of: "&amp;", with: "&")
    }

    @Test("A topic is made, a token for it is shown once, and its curl line pushes")
    func push() throws {
        let server = try fixture.start()
        let visitor = try Visitor(fixture)
        let place = try visitor.makeTopic("builds")
        let page = try visitor.get(place + "?done=topic-made")
        #expect(page.contains("of the server") && page.contains("The topic is there."))
        let form = "name=Grafana&use=push&expires=86400"
        let made = try visitor.post(place + "/tokens", form, from: page)
        #expect(made.hasSuffix(" 200") && made.contains("<svg class=\"code\""), "\(made)")
        #expect(try visitor.post(place + "/tokens", form, from: page).hasSuffix(" 409"))
        let line = try #require(made.range(of: ">curl ")?.lowerBound)
        let command = text(made[line...].dropFirst().prefix { $0 != "<" })
        let answer = try ServeFixture.output(
            "/bin/sh",
            ["-c", "CURL_CA_BUNDLE='\(fixture.authority)' \(command) -sS -m 10 -w ' %{http_code}'"])
        #expect(answer.hasSuffix(" 200"), "\(command): \(answer)")
        let token = try #require(text(made).range(of: "tk_")).lowerBound
        let secret = text(made)[token...].prefix(32)
        let again = try visitor.get(place)
        #expect(!again.contains(secret) && again.contains("Grafana") && again.contains(">1 ("))
        #expect(try visitor.get("").contains(">hello</div>"))
        // What it may not do is explained.
        let reading = [
            "-H", "Authorization: Bearer \(secret)",
            visitor.base.dropLast(3) + "builds/json?poll=1",
        ]
        #expect(try fixture.curl(reading).hasSuffix(" 403"))
        #expect(try visitor.get(place).contains("its token may only push"))
        let row = try #require(again.range(of: "name=\"token\" value=\"")?.upperBound)
        let number = again[row...].prefix { $0 != "\"" }
        #expect(try visitor.post(place + "/revoke", "token=999").hasSuffix(" 404"))
        #expect(
            visitor.place(try visitor.post(place + "/revoke", "token=\(number)"))
                == place + "?done=token-revoked")
        #expect(try fixture.curl(reading).hasSuffix(" 401"))
        #expect(server.end() == 0)
    }

    @Test("A message is sent with all its fields, once, and as the owner's own")
    func send() throws {
        let server = try fixture.start()
        let visitor = try Visitor(fixture)
        let place = try visitor.makeTopic("builds")
        let page = try visitor.get(place)
        let form =
            "title=Disk&text=%7B%22a%22%3A1%7D%0D%0Atwo&markdown=1&priority=5&tags=nas%2Cfull"
            + "&click=https%3A%2F%2Fnas.example%2F&delay="
        let sent = try visitor.post(place + "/send", form, from: page)
        #expect(visitor.place(sent) == place + "?done=sent", "\(sent)")
        #expect(try visitor.post(place + "/send", form, from: page).hasSuffix(" 409"))
        let inbox = try visitor.get("")
        for part in [
            "Disk</h2>", "{&quot;a&quot;:1}\ntwo", ">urgent<", "<bdi>full</bdi>",
            "href=\"https://nas.example/\"",
        ] { #expect(inbox.contains(part), "\(part)") }
        let later = try visitor.post(place + "/send", "text=x&delay=30m", from: visitor.get(place))
        #expect(visitor.place(later) == place + "?done=delayed")
        for (wrong, words) in [
            ("text=x&delay=soon", "10 seconds and 3 days"),
            ("text=x&title=" + String(repeating: "a", count: 1_025), "too long"),
        ] {
            let answer = try visitor.post(place + "/send", wrong, from: visitor.get(place))
            #expect(answer.hasSuffix(" 400") && answer.contains(words), "\(answer)")
        }
        let messages = try fixture.run(["messages", "--json"]).output
        #expect(messages.contains("\"priority\":5") && !messages.contains("\"title\":\"aaa"))
        #expect(server.end() == 0)
    }

    @Test("A topic is called, opened, muted and removed")
    func change() throws {
        let server = try fixture.start()
        let visitor = try Visitor(fixture)
        let place = try visitor.makeTopic("builds")
        let settings = "title=Nightly+builds&description=new&keep=604800&open=yes"
        #expect(
            visitor.place(try visitor.post(place + "/settings", settings))
                == place + "?done=topic-changed")
        let page = try visitor.get(place)
        #expect(page.contains("<h1>Nightly builds</h1>") && page.contains(">new</p>"))
        #expect(page.contains("\"604800\" selected") && page.contains("value=\"yes\" checked"))
        #expect(try visitor.get("").contains(">Nightly builds</option>"))
        let listed = try fixture.run(["topic", "show", "builds", "--json"]).output
        #expect(listed.contains("\"open\":true") && listed.contains("\"keep\":604800"))
        let closed = try visitor.post(place + "/settings", "title=&description=&keep=")
        #expect(visitor.place(closed) == place + "?done=topic-changed")
        #expect(try visitor.get(place).contains("<h1>builds</h1>"))
        #expect(
            visitor.place(try visitor.post(place + "/mute", "for=3600"))
                == place + "?done=topic-muted")
        let paused = try fixture.run(["account", "list", "builds"]).output
        #expect(paused.contains("paused until"), "\(paused)")
        #expect(try visitor.get(place).contains("/unmute\""))
        #expect(
            visitor.place(try visitor.post(place + "/unmute", "")) == place + "?done=topic-unmuted")
        #expect(try visitor.get(place + "/remove").contains("Remove builds?"))
        #expect(
            visitor.place(try visitor.post(place + "/remove", "")) == "topics?done=topic-removed")
        #expect(try visitor.get(place).hasSuffix(" 404"))
        #expect(try fixture.run(["topic", "list"]).output.contains("no topics"))
        #expect(server.end() == 0)
    }

    @Test("What is not right is refused, and makes nothing")
    func refused() throws {
        let server = try fixture.start()
        let visitor = try Visitor(fixture)
        let place = try visitor.makeTopic("builds")
        for name in ["builds"] {
            #expect(try visitor.post("topics", "name=\(name)").hasSuffix(" 409"))
        }
        for name in ["nightly+build", "api", "s_abc", "", "up0123456789ab"] {
            #expect(try visitor.post("topics", "name=\(name)").hasSuffix(" 400"), "\(name)")
        }
        for (step, form) in [
            ("settings", "keep=ever"), ("settings", "keep=99999999999"), ("mute", "for=-1"),
            ("settings", "description=" + String(repeating: "a", count: 1_025)),
        ] {
            #expect(try visitor.post("\(place)/\(step)", form).hasSuffix(" 400"), "\(form)")
        }
        for form in ["name=a&use=all", "name=&use=push", "name=a&use=push&expires=x"] {
            let answer = try visitor.post(place + "/tokens", form, from: visitor.get(place))
            #expect(answer.hasSuffix(" 400"), "\(form): \(answer)")
        }
        #expect(try fixture.run(["token", "list"]).output.contains("no tokens"))
        #expect(try visitor.get("topics/AAAAAAAAAAAAAAAAAAAAAA").hasSuffix(" 404"))
        // A registration that is none is not shown as one.
        let other = try fixture.run(["register", "--app", "telegram", "--account", "me", "--json"])
        let id = try #require(try ServeFixture.object(other.output)["id"] as? String)
        #expect(try visitor.get("topics/\(id)").hasSuffix(" 404"))
        #expect(server.end() == 0)
    }
}
