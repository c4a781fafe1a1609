import Base
import Foundation

/// One record of the webpush files in `Tests/Vectors`.
package struct WebPushVector: Decodable, Sendable, CustomStringConvertible {
    package struct Expectation: Decodable, Sendable {
        package let ok: String?
        package let error: String?
        package let salt: String?
        package let dh: String?
        package let rs: UInt64?
    }

    package struct Sender: Decodable, Sendable {
        package let priv: String?
        package let pub: String?
    }

    package let id: String
    package let kind: String
    package let encoding: String
    package let must: String
    package let expect: Expectation
    package let singleRecord: Expectation?
    package let tolerated: [String]?
    package let verifiers: Verifiers?
    package let priv: String?
    package let pub: String?
    package let auth: String?
    package let body: String?
    package let headers: [String: Lines]?
    package let now: Double?
    package let origin: String?
    package let boundKey: String?
    package let salt: String?
    package let rs: UInt64?
    package let pad: Int?
    package let plaintext: String?
    package let sender: Sender?
    package let ikm: String?
    package let sharedSecret: String?
    package let ciphertext: String?

    private enum CodingKeys: String, CodingKey {
        case id, kind, encoding, must, expect, verifiers, priv, pub, auth, body, headers, now
        case salt, rs, pad, plaintext, sender, ikm, ciphertext
        case singleRecord = "expect_single_record"
        case tolerated = "may_ok"
        case origin = "request_origin"
        case boundKey = "restrict_key"
        case sharedSecret = "ecdh_secret"
    }

    package var description: String { id }

    /// The answer of readers that accept a single record only.
    package var strict: Expectation { singleRecord ?? expect }
}

extension WebPushVector {
    /// A header is one line or several.
    package struct Lines: Decodable, Sendable {
        package let value: String

        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let lines = try? container.decode([String].self) {
                value = lines.joined(separator: ", ")
            } else {
                value = try container.decode(String.self)
            }
        }
    }

    /// The answer of the reference reader if a vector leaves a choice.
    package struct Verifiers: Decodable, Sendable {
        package let refimpl: Expectation?

        private enum CodingKeys: String, CodingKey { case refimpl }

        package init(from decoder: any Decoder) throws {
            refimpl = try? decoder.container(keyedBy: CodingKeys.self)
                .decode(Expectation.self, forKey: .refimpl)
        }
    }

    package func header(_ name: String) -> [UInt8]? {
        headers?.first { $0.key.lowercased() == name }.map { Array($0.value.value.utf8) }
    }

    private struct File: Decodable { let vectors: [WebPushVector] }

    /// All vectors of one kind: those in the project, and external ones if they are available.
    package static func all(_ kind: String) throws -> [WebPushVector] {
        var vectors = try Vectors.load(File.self, from: "webpush-rfc.json").vectors
        vectors += try Vectors.load(File.self, from: "webpush-crafted.json").vectors
        if let file = try Vectors.loadExternal(File.self, from: "webpush-published.json") {
            let known = Set(vectors.map(\.id))
            vectors += file.vectors.filter { !known.contains($0.id) }
        }
        return vectors.filter { $0.kind == kind }
    }
}

/// One request of a real sender in `webpush-recorded-senders.json`.
package struct RecordedPush: Decodable, Sendable, CustomStringConvertible {
    package struct Request: Decodable, Sendable {
        package let headers: [[String]]
        package let body: String
        package let at: Double
    }

    package struct Outcome: Decodable, Sendable {
        package let ok: String?
        package let error: String?
    }

    package let id: String
    package let kind: String
    package let encoding: String
    package let endpoint: String
    package let request: Request
    package let expect: Outcome
    package let priv: String?
    package let pub: String?
    package let auth: String?
    /// The key of its signature.
    package let senderKey: String?

    private enum CodingKeys: String, CodingKey {
        case id, kind, endpoint, request, expect, priv, pub, auth
        case senderKey = "vapid_pub"
        case encoding = "requested_encoding"
    }

    package var description: String { id }

    package func header(_ name: String) -> [UInt8]? {
        let lines = request.headers.filter { $0[0].lowercased() == name }.map { $0[1] }
        return lines.isEmpty ? nil : Array(lines.joined(separator: ", ").utf8)
    }

    private struct File: Decodable { let recordings: [RecordedPush] }

    package static func all(_ kind: String) throws -> [RecordedPush] {
        try Vectors.load(File.self, from: "webpush-recorded-senders.json").recordings
            .filter { $0.kind == kind }
    }
}
