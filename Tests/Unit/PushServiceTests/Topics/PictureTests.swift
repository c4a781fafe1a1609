import Base
import HookSupport
import Pictures
import TestSupport
import Testing
import WebPush

@testable import Mailbox
@testable import PushService

/// A server with topics, and another one that has pictures.
private final class Gallery {
    let fixture: PushFixture
    let bearer: String
    let hook: HookServer
    let picture = PNGFile.plain([255, 0, 255])

    /// Each host may be asked once a second, so a test has many names for one.
    init(allows block: String = "127.0.0.0/8", at addresses: [String: String] = [:]) throws {
        let hook = try HookServer()
        let port = hook.port
        let names =
            (0..<10).map { "host\($0).example:\(port):127.0.0.1" }
            + addresses.map { "\($0.key):\(port):\($0.value)" }
        fixture = try PushFixture {
            $0.settings = { settings in
                settings.callbacks.client.fixedNames = names
                settings.callbacks.client.patience = .seconds(2)
                settings.callbacks.dialGuard.allowed = [AddressBlock(block)].compactMap(\.self)
            }
        }
        bearer = try fixture.addCredential()
        self.hook = hook
        let picture = picture
        hook.reply { _ in HookAnswer(body: picture) }
    }

    func url(_ path: String = "p.png", host: String = "host0.example") -> String {
        "http://\(host):\(hook.port)/\(path)"
    }

    /// Returns the id of the message.
    func publish(
        _ fields: PushFixture.Fields, to topic: String = "door", bearer: String? = nil,
        body: [UInt8] = Array("Ring".utf8)
    ) throws -> String {
        let credential = bearer.map { [("Authorization", "Bearer \($0)")] } ?? []
        let answer = try fixture.request("PUT", "/\(topic)", credential + fields, body: body)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.text("id")
    }

    func ask(_ id: String, bearer: String? = nil) throws -> HTTPAnswer {
        try fixture.api("GET", "messages/\(id)/picture", bearer: bearer ?? self.bearer)
    }

    /// Publishes a link as the owner, and asks for its picture.
    func answer(_ url: String) throws -> HTTPAnswer {
        try ask(try publish([("Attach", url)], bearer: bearer))
    }
}

@Suite("Pictures of messages")
struct PictureTests {
    @Test("An attached picture is answered to the owner, and to nobody else")
    func attached() throws {
        let gallery = try Gallery()
        let id = try gallery.publish(
            [("Filename", "door.txt")], bearer: gallery.bearer, body: gallery.picture)
        let answer = try gallery.ask(id)
        #expect(answer.status == 200 && answer.body == gallery.picture)
        #expect(answer["content-type"] == "image/png")
        #expect(answer["content-security-policy"] == "sandbox; default-src 'none'")
        #expect(answer["x-content-type-options"] == "nosniff")
        #expect(answer["cache-control"] == "private, no-store")
        let stranger = try gallery.fixture.addCredential(owner: "uid:9")
        #expect(try gallery.ask(id, bearer: stranger).code == "404/1002")
        #expect(try gallery.ask(id, bearer: "x").code == "401/1005")
        _ = try gallery.fixture.ntfy("DELETE", "/door/\(id)", gallery.bearer)
        #expect(try gallery.ask(id).code == "404/1002")
        #expect(gallery.hook.requests.isEmpty)
    }

    @Test("A long attached picture comes whole")
    func long() throws {
        let gallery = try Gallery()
        let large = PNGFile.plain([9, 8, 7], width: 800, height: 800)
        #expect(large.count > TopicFiles.partLimit)
        let id = try gallery.publish([("f", "x")], bearer: gallery.bearer, body: large)
        #expect(try gallery.ask(id).body == large)
    }

    @Test("What is attached and no picture, or none that is shown, is not answered")
    func others() throws {
        let gallery = try Gallery()
        let bomb = try #require(Self.bomb)
        for file in [Array("%PDF-1.7".utf8), Array("GIF89a".utf8), bomb, Array(bomb.prefix(20))] {
            let id = try gallery.publish([("f", "x")], bearer: gallery.bearer, body: file)
            #expect(try gallery.ask(id).code == "404/1002")
        }
        for id in [try gallery.publish([], bearer: gallery.bearer), "AAAAAAAAAAAA", "x"] {
            #expect(try gallery.ask(id).code == "404/1002")
        }
    }

    /// Claims 65,535 by 65,535 pixels.
    private static var bomb: [UInt8]? {
        [0xFF, 0xD8, 0xFF, 0xC0, 0, 7, 8, 0xFF, 0xFF, 0xFF, 0xFF, 1]
    }

    @Test("A link is fetched once, with nothing that tells who asks")
    func link() throws {
        let gallery = try Gallery()
        for _ in 0..<3 {
            let answer = try gallery.answer(gallery.url("p.png?size=1"))
            #expect(answer.status == 200 && answer.body == gallery.picture)
        }
        let requests = gallery.hook.requests
        #expect(requests.count == 1)
        let fields = try #require(requests.first?.fields)
        #expect(Set(fields.keys) == ["host", "user-agent", "accept"])
        #expect(requests.first?.body.isEmpty == true)
    }

    @Test("An icon counts where an attachment is no picture")
    func icon() throws {
        let gallery = try Gallery()
        let picture = gallery.picture
        gallery.hook.reply {
            $0.path == "/icon.png" ? HookAnswer(body: picture) : HookAnswer(body: Array("x".utf8))
        }
        let icon = gallery.url("icon.png", host: "host1.example")
        let id = try gallery.publish(
            [("Attach", gallery.url("list.pdf")), ("Icon", icon)], bearer: gallery.bearer)
        #expect(try gallery.ask(id).body == picture)
        let attached = try gallery.publish(
            [("f", "x"), ("Icon", icon)], bearer: gallery.bearer, body: Array("%PDF-1".utf8))
        #expect(try gallery.ask(attached).body == picture)
    }

    @Test("Links of senders without a credential are followed only if the topic says so")
    func consent() throws {
        let gallery = try Gallery()
        let device = try gallery.fixture.addTopic("door", isOpen: true)
        let own = try gallery.publish(
            [("Attach", gallery.url(host: "host1.example"))], bearer: gallery.bearer)
        let foreign = try gallery.fixture.addCredential(owner: "uid:9")
        let link = [("Attach", gallery.url(host: "host2.example"))]
        let others = [try gallery.publish(link), try gallery.publish(link, bearer: foreign)]
        for id in others { #expect(try gallery.ask(id).code == "404/1002") }
        #expect(gallery.hook.requests.isEmpty)
        #expect(try gallery.ask(own).status == 200)
        try gallery.setPictures("all", of: device)
        for id in others { #expect(try gallery.ask(id).status == 200) }
        try gallery.setPictures("off", of: device)
        for id in others + [own] { #expect(try gallery.ask(id).code == "404/1002") }
        try gallery.setPictures("own", of: device)
        #expect(try gallery.ask(own).status == 200)
        #expect(gallery.hook.requests.count == 2)
        let id = try gallery.registration(device)
        let wrong = try gallery.fixture.api(
            "PUT", "registrations/\(id)/topic", bearer: gallery.bearer, #"{"pictures":"some"}"#)
        #expect(wrong.code == "400/1000")
    }

    @Test("Redirects, other kinds of answers and what is too long are no pictures, for a day")
    func refusals() throws {
        let gallery = try Gallery()
        let picture = gallery.picture
        let answers: [String: HookAnswer] = [
            "/moved": HookAnswer(302, [("location", gallery.url())]),
            "/missing": HookAnswer(404, body: picture),
            "/page": HookAnswer(body: Array("<html><img src=p.png></html>".utf8)),
            "/cut": HookAnswer(body: Array(picture.prefix(30))),
            "/endless": HookAnswer(body: picture + [UInt8](repeating: 0, count: 3 << 20)),
            "/bomb": HookAnswer(body: Self.bomb ?? []),
            "/silent": .never,
        ]
        gallery.hook.reply { answers[$0.path] ?? HookAnswer(500) }
        let paths = answers.keys.sorted()
        for _ in 0..<2 {
            for (number, path) in paths.enumerated() {
                let url = gallery.url(String(path.dropFirst()), host: "host\(number).example")
                #expect(try gallery.answer(url).code == "404/1002", "\(path)")
            }
        }
        #expect(gallery.hook.requests.map(\.path).sorted() == paths)
    }

    @Test("Nothing is dialled but the internet, whatever a name leads to")
    func guarded() throws {
        let gallery = try Gallery(
            allows: "127.0.0.9", at: ["metadata.example": "169.254.169.254"])
        let urls = [
            "https://169.254.169.254:\(gallery.hook.port)/latest", "https://[::ffff:10.0.0.1]/x",
            gallery.url(host: "metadata.example"),
            gallery.url(host: "metadata.example").replacing("http:", with: "https:"),
            gallery.url(host: "host1.example"), gallery.url(host: "127.0.0.1"),
            gallery.url(host: "user@host2.example"), "https://host3.example:25/x",
        ]
        for url in urls { #expect(try gallery.answer(url).code == "404/1002", "\(url)") }
        #expect(gallery.hook.requests.isEmpty)
    }

    @Test("A topic that links to too many pictures is told to wait, and its texts come")
    func pace() throws {
        let gallery = try Gallery()
        let urls = (1...20).map { "https://10.0.0.\($0)/x" }
        for url in urls { #expect(try gallery.answer(url).status == 404) }
        #expect(try gallery.answer("https://10.0.0.1/last").code == "503/1004")
        #expect(try gallery.answer(urls[0]).status == 404)
        #expect(try gallery.fixture.history("door").count == 22)
    }

    @Test("The picture of a service's push is found like any other, if the topic follows its link")
    func service() throws {
        let gallery = try Gallery()
        let app = try RegisteredApp(
            gallery.fixture, app: "script",
            #","dialect":"home-assistant","clear":true,"trust_clear":true,"topic":{"pictures":"all"}"#,
            bearer: gallery.bearer)
        let viewer = try EngineViewer(
            gallery.fixture, bearer: gallery.bearer, app: "script", "&role=viewer")
        let image = "https://host1.example:\(gallery.hook.port)/door.jpg"
        let push = #"{"message":"Ring","data":{"image":"\#(image)"}}"#
        let answer = try app.raw(Array(push.utf8), [("Content-Type", "application/json")])
        #expect(answer.status == 201)
        try viewer.next("updateNotificationGroup")
        let message = try #require(try gallery.fixture.history("me").first)
        #expect(message.content.icon == image)
        #expect(viewer.presentation["picture"] as? String == message.id.text)
        // The link is followed, to a server that does not speak TLS.
        #expect(try gallery.ask(message.id.text).code == "404/1002")
    }

    @Test("The engine tells by what a picture is found, and of other messages nothing")
    func notification() throws {
        let gallery = try Gallery()
        try gallery.fixture.addTopic("door")
        let viewer = try EngineViewer(
            gallery.fixture, bearer: gallery.bearer, account: "door", app: "script", "&role=viewer")
        let id = try gallery.publish([("Attach", gallery.url())], bearer: gallery.bearer)
        try viewer.next("updateNotificationGroup")
        #expect(viewer.presentation["picture"] as? String == id)
        for fields in [[], [("Attach", gallery.url()), ("Cache", "no")]] {
            _ = try gallery.publish(fields, bearer: gallery.bearer)
            try viewer.next("updateNotificationGroup")
            #expect(viewer.presentation["body"] as? String == "Ring")
            #expect(viewer.presentation["picture"] == nil)
        }
        #expect(gallery.hook.requests.isEmpty)
    }
}

extension Gallery {
    func registration(_ device: UInt32) throws -> String {
        let answer = try fixture.api("GET", "registrations", bearer: bearer).object()
        let all = try #require(answer["registrations"] as? [[String: Any]])
        return try #require(all.first?["id"] as? String)
    }

    func setPictures(_ word: String, of device: UInt32) throws {
        let answer = try fixture.api(
            "PUT", "registrations/\(try registration(device))/topic", bearer: bearer,
            #"{"open":true,"pictures":"\#(word)"}"#)
        #expect(answer.status < 300, "\(answer.text)")
    }
}
