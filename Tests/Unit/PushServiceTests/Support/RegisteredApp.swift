import Base
import Crypto
import Foundation
import Testing
import WebPush

@testable import Mailbox

/// An application with a registration, and its sender.
final class RegisteredApp {
    let fixture: PushFixture
    let bearer: String
    /// The answer to the registration, or to the latest rotation.
    private(set) var members: [String: Any]

    /// `rest`: more members of the request, each behind a comma.
    init(
        _ fixture: PushFixture, type: Int = 10, app: String = "telegram", _ rest: String = "",
        bearer: String? = nil
    ) throws {
        self.fixture = fixture
        let secret = try bearer ?? fixture.addCredential()
        let body = #"{"token_type":\#(type),"app":"\#(app)","account":"me"\#(rest)}"#
        let answer = try fixture.api("POST", "registrations", bearer: secret, body)
        #expect(answer.status == 201, "\(answer.text)")
        self.bearer = secret
        members = try answer.object()
    }

    var id: String { members["id"] as? String ?? "" }
    var endpoint: String { members["endpoint"] as? String ?? "" }
    var secret: String { object("register_device")["secret"] as? String ?? "" }

    func object(_ name: String) -> [String: Any] { members[name] as? [String: Any] ?? [:] }

    func call(_ method: String, _ path: String, _ body: String? = nil) throws -> HTTPAnswer {
        try fixture.api(method, path, bearer: bearer, body)
    }

    func rotate() throws {
        let answer = try call("POST", "registrations/\(id)/rotate")
        #expect(answer.status == 200, "\(answer.text)")
        members = try answer.object()
    }

    /// The payloads that wait or were fetched, as text.
    func payloads(fetching isFetched: Bool = false) throws -> [String] {
        try messages(fetching: isFetched).map { message in
            let text = message["payload"] as? String ?? ""
            return String(decoding: Base64URL.decode(text) ?? [], as: UTF8.self)
        }
    }

    func messages(fetching isFetched: Bool = false) throws -> [[String: Any]] {
        let answer =
            try isFetched
            ? call("POST", "fetched", #"{"registration":"\#(id)"}"#)
            : call("GET", "pending?registration=\(id)")
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.object()["messages"] as? [[String: Any]] ?? []
    }

    /// How many pushes could not be decrypted, by reason.
    func undecryptable() throws -> [String: Int] {
        let answer = try call("GET", "registrations/\(id)")
        return try answer.object()["undecryptable"] as? [String: Int] ?? [:]
    }

    func encrypted(
        _ text: String, _ encoding: ContentEncoding = .aes128gcm
    ) throws -> EncryptedPush {
        let keys = object("keys")
        let point = (keys["p256dh"] as? String).flatMap(UncompressedPoint.init(base64URL:))
        let auth = (keys["auth"] as? String).flatMap { Base64URL.decode($0) } ?? []
        var encryptor = try Encryptor()
        return try encryptor.encrypt(
            Array(text.utf8).span, for: try #require(point), auth: Secret(auth.span),
            encoding: encoding)
    }

    /// Pushes it encrypted, as the application's sender would.
    func push(
        _ text: String, _ encoding: ContentEncoding = .aes128gcm, method: String = "POST",
        ttl: String? = "60", _ fields: PushFixture.Fields = []
    ) throws -> HTTPAnswer {
        try send(try encrypted(text, encoding), method: method, ttl: ttl, fields)
    }

    func send(
        _ push: EncryptedPush, method: String = "POST", ttl: String? = "60",
        _ fields: PushFixture.Fields = []
    ) throws -> HTTPAnswer {
        let all =
            (ttl.map { [("TTL", $0)] } ?? []) + [("Content-Encoding", push.encoding.rawValue)]
            + push.fields.map { ($0.name, $0.value) } + fields
        return try fixture.request(method, endpoint, all, body: push.body)
    }

    /// Pushes the bytes as they are.
    func raw(
        _ body: [UInt8], method: String = "POST", _ fields: PushFixture.Fields = [("TTL", "60")]
    ) throws -> HTTPAnswer {
        try fixture.request(method, endpoint, fields, body: body)
    }
}

extension PushFixture {
    /// A request to `/api/v1/`, as a program makes it.
    func api(
        _ method: String, _ path: String, bearer: String?, _ body: String? = nil,
        _ fields: Fields = []
    ) throws -> HTTPAnswer {
        var all = fields
        if let bearer { all.append(("Authorization", "Bearer \(bearer)")) }
        if body != nil, !fields.contains(where: { $0.0 == "Content-Type" }) {
            all.append(("Content-Type", "application/json"))
        }
        return try request(method, "/api/v1/\(path)", all, body: body.map { Array($0.utf8) } ?? [])
    }
}

extension HTTPAnswer {
    func object() throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(body))
        return try #require(value as? [String: Any])
    }
}
