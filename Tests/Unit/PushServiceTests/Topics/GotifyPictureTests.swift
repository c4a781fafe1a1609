import Foundation
import Testing

@testable import PushService

@Suite("Pictures of applications on Gotify's paths")
struct GotifyPictureTests {
    private let fixture: PushFixture
    private let owner: GotifyCaller

    init() throws {
        fixture = try PushFixture()
        owner = try GotifyCaller(fixture)
    }

    private func send(
        _ picture: [UInt8], to id: Int, from caller: GotifyCaller? = nil
    ) throws -> GotifyReply {
        let start =
            "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n"
        let body = Array(start.utf8) + picture + Array("\r\n--b--\r\n".utf8)
        let type = [("Content-Type", "multipart/form-data; boundary=b")]
        return GotifyReply(
            try fixture.request(
                "POST", "/application/\(id)/image", (caller ?? owner).fields + type, body: body))
    }

    private static let gif = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x3B]

    @Test("An application without a picture has the usual one, which is a picture")
    func usual() throws {
        let answer = try fixture.request("GET", "/static/defaultapp.png")
        #expect(answer.status == 200 && answer["content-type"] == "image/png")
        #expect(answer.body.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        #expect(answer.body.suffix(8).starts(with: Array("IEND".utf8)))
    }

    @Test("A picture is shown to everybody who knows its name, also after a restart")
    func picture() throws {
        let application = try owner.makeApplication("app")
        let first = try send(GotifyDesk.usualPicture, to: application.id)
        #expect(first.answer.status == 200 && first.number("id") == application.id)
        let second = try send(Self.gif, to: application.id)
        #expect(second.text("image").hasPrefix("image/") && second.text("image").hasSuffix(".gif"))
        try owner.ask("PUT", "/application/\(application.id)", #"{"name":"other"}"#)
        try fixture.restart()
        let shown = try fixture.request("GET", "/" + second.text("image"))
        #expect(shown.status == 200 && shown.body == Self.gif)
        #expect(shown["content-type"] == "image/gif")
        #expect(shown["x-content-type-options"] == "nosniff")
        #expect(shown["content-security-policy"]?.hasPrefix("sandbox") == true)
        let listed = try owner.ask("GET", "/application").list.first?["image"] as? String
        #expect(listed == second.text("image"))
        // The former one is gone.
        #expect(try fixture.request("GET", "/" + first.text("image")).status == 404)
        let path = "/application/\(application.id)/image"
        #expect(try owner.ask("DELETE", path).text("image") == "static/defaultapp.png")
        #expect(try fixture.request("GET", "/" + second.text("image")).status == 404)
    }

    @Test("A picture ends with its application")
    func end() throws {
        let application = try owner.makeApplication("app")
        let image = try send(Self.gif, to: application.id).text("image")
        try owner.ask("DELETE", "/application/\(application.id)")
        #expect(try fixture.request("GET", "/" + image).status == 404)
    }

    @Test("Only pictures are taken, of the caller's own applications, and no large ones")
    func refused() throws {
        let application = try owner.makeApplication("app")
        try send(Array("<svg onload=alert(1)>".utf8), to: application.id).expectRefusal(400)
        try send([], to: application.id).expectRefusal(400)
        let path = "/application/\(application.id)/image"
        try owner.ask("POST", path, "{}", expecting: nil).expectRefusal(400)
        let room = [UInt8](repeating: 0, count: 256 << 10)
        try send(Self.gif + room, to: application.id).expectRefusal(413)
        try send(Self.gif + room + room, to: application.id).expectRefusal(413)
        let other = try GotifyCaller(fixture, owner: "other")
        try send(Self.gif, to: application.id, from: other).expectRefusal(404)
        try send(Self.gif, to: application.id, from: application.sender).expectRefusal(403)
    }

    @Test(
        "No other name shows anything",
        arguments: ["1.png", "-.png", "..%2F..%2Fetc%2Fpasswd", "99999999999-a.png", "0-.gif"])
    func names(name: String) throws {
        let application = try owner.makeApplication("app")
        _ = try send(Self.gif, to: application.id)
        GotifyReply(try fixture.request("GET", "/image/" + name)).expectRefusal(404)
        let path = "/image/\(application.id)-AAAAAAAAAAAAAAAAAAAAAA.gif"
        GotifyReply(try fixture.request("GET", path)).expectRefusal(404)
    }
}
