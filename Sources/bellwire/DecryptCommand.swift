import Base
import Crypto
import System
import WebPush

extension Command {
    static let decrypt = Command(
        name: "decrypt",
        summary: "decrypt Web Push messages from standard input",
        details: """
            Reads one JSON object per line and prints one per line, in the same order:

              {"id", "priv", "pub", "auth", "encoding", "headers", "body"}
              {"id", "ok": TEXT} or {"id", "error": WORD}

            priv (32 bytes), pub (65), auth (16), body and the printed text are base64url without
            padding. encoding is aes128gcm, aesgcm (headers then holds the fields Encryption and
            Crypto-Key, each a text or a list of texts) or aesgcm-gateway (the fields are in the
            body). id and headers are optional; id is copied to the output.
            """,
        examples: [
            Example("bellwire decrypt < messages.jsonl", help: "decrypt the messages in a file"),
            Example(
                "bellwire decrypt < Tests/Vectors/rfc8291-message.jsonl",
                help: "decrypt the example of RFC 8291; run it in a checkout of the sources"),
        ]
    ) { arguments in
        var decryptor = try Decryptor()
        var lines = LineReader(limit: 16 << 20)
        while let line = try lines.next() {
            switch line {
            case .bytes(let bytes):
                if bytes.isEmpty || bytes == [UInt8(ascii: "\r")] { continue }
                let task = DecryptionTask(line: bytes)
                let result = try task.decrypt(with: &decryptor)
                try StandardOutput.write(answer(to: task.id, result))
            case .tooLong:
                try StandardOutput.write(answer(to: nil, .failure(.tooLarge)))
            }
        }
        return .success
    }

    private static func answer(
        to id: String?, _ result: Result<[UInt8], DecryptionRefusal>?
    ) -> String {
        JSONWriter.line { writer in
            if let id {
                writer.name("id")
                writer.foreign(id.drop { $0.isWhitespace })
            }
            switch result {
            case .success(let text): writer.member("ok", Base64URL.text(text.span))
            case .failure(let refusal): writer.member("error", refusal.rawValue)
            case nil: writer.member("error", "bad-input")
            }
        }
    }
}

/// One line of `bellwire decrypt`: a message with its receiver's keys.
struct DecryptionTask: Confidential {
    /// The line's `id` as JSON text, for the output.
    let id: String?
    private let members: Members?

    private struct Members {
        var encoding = ""
        var priv: [UInt8] = []
        var pub: [UInt8] = []
        var auth: [UInt8] = []
        var body: [UInt8] = []
        var headers = HeaderMembers()
    }

    static let bodyLimit = 1 << 20

    /// Nil for a malformed line, which is `bad-input`.
    func decrypt(with decryptor: inout Decryptor) throws -> Result<[UInt8], DecryptionRefusal>? {
        guard let members else { return nil }
        let encoding = members.encoding
        let isKnown = ContentEncoding(rawValue: encoding) != nil || encoding == "aesgcm-gateway"
        guard isKnown else { return .failure(.unsupportedEncoding) }
        guard encoding != "aesgcm" || members.headers.isWellFormed else { return nil }
        do throws(DecryptionError) {
            return .success(try Self.decrypt(members, with: &decryptor))
        } catch {
            switch error {
            case .refusal(let refusal): return .failure(refusal)
            case .fault(let fault): throw fault
            }
        }
    }

    /// The order of the checks is documented: the first failure is the result.
    private static func decrypt(
        _ members: Members, with decryptor: inout Decryptor
    ) throws(DecryptionError) -> [UInt8] {
        let privateKey: PrivateKey?
        do throws(OpenSSLError) {
            privateKey = try PrivateKey(members.priv.span)
        } catch {
            throw .fault(error)
        }
        guard let privateKey else { throw .refusal(.badPrivateKey) }
        let publicKey = privateKey.publicKey
        guard let keys = ReceiverKeys(privateKey: privateKey, auth: Secret(members.auth.span))
        else { throw .refusal(.badAuthLength) }
        guard let point = UncompressedPoint(members.pub.span) else {
            throw .refusal(.badPointFormat)
        }
        guard try decryptor.isOnCurve(point) else { throw .refusal(.badPoint) }
        guard point == publicKey else { throw .refusal(.keyMismatch) }
        guard members.body.count <= bodyLimit else { throw .refusal(.tooLarge) }
        let parameters: EncryptionParameters
        do throws(DecryptionRefusal) {
            parameters = try Self.parameters(members)
        } catch {
            throw .refusal(error)
        }
        return try decryptor.decrypt(members.body.span, parameters, keys: keys)
    }

    private static func parameters(
        _ members: Members
    ) throws(DecryptionRefusal) -> EncryptionParameters {
        switch members.encoding {
        case ContentEncoding.aes128gcm.rawValue:
            return try EncryptionParameters(aes128gcm: members.body.span)
        case ContentEncoding.aesgcm.rawValue:
            return try EncryptionParameters(
                aesgcm: members.body.span, encryption: members.headers["encryption"],
                cryptoKey: members.headers["crypto-key"])
        default:
            return try EncryptionParameters(gateway: members.body.span)
        }
    }
}

extension DecryptionTask {
    /// Unknown members may have any value.
    init(line: [UInt8]) {
        guard let root = try? JSONDocument(line).root, root.kind == .object else {
            (id, members) = (nil, nil)
            return
        }
        var members = Members()
        var missing: Set = ["encoding", "priv", "pub", "auth", "body"]
        var isValid = true
        var id: String?
        func bytes(_ value: JSONNode) -> [UInt8] {
            let bytes = value.text.flatMap { Base64URL.decode($0) }
            isValid = isValid && bytes != nil
            return bytes ?? []
        }
        for (name, value) in root.members {
            missing.remove(name)
            switch name {
            case "id": id = String(decoding: value.source, as: UTF8.self)
            case "encoding":
                members.encoding = value.text ?? ""
                isValid = isValid && value.text != nil
            case "priv": members.priv = bytes(value)
            case "pub": members.pub = bytes(value)
            case "auth": members.auth = bytes(value)
            case "body": members.body = bytes(value)
            case "headers": members.headers.read(value)
            default: break
            }
        }
        self.id = id
        self.members = isValid && missing.isEmpty ? members : nil
    }
}

/// The `headers` of a `bellwire decrypt` line: each name has a text or a list of texts.
struct HeaderMembers {
    /// Names are in lower case; several lines of a field form one list (RFC 7230 section 3.2.2).
    private var values: [String: [UInt8]] = [:]
    private(set) var isWellFormed = true

    subscript(_ name: String) -> [UInt8]? { values[name] }

    /// A value of another type makes the fields malformed.
    mutating func read(_ headers: JSONNode) {
        isWellFormed = isWellFormed && headers.kind == .object
        for (name, value) in headers.members {
            for line in value.kind == .array ? value.elements : [value] {
                add(line.text, to: name.lowercased())
            }
        }
    }

    private mutating func add(_ line: String?, to name: String) {
        guard let line else {
            isWellFormed = false
            return
        }
        values[name] = values[name].map { $0 + Array(", \(line)".utf8) } ?? Array(line.utf8)
    }
}
