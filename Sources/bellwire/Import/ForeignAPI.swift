import Base
import Outbound
import System

/// Asks another server over its API, with a secret of the user.
struct ForeignAPI {
    private let base: String
    private let fields: [(name: String, value: String)]
    private let authority: String?

    /// A list of messages is the longest answer.
    private static let answerLimit = 32 << 20
    private static let secretLimit = 4_096

    /// A secret goes to this machine, or over TLS.
    init(_ address: String, _ secret: ForeignSecret, keyField: String?, authority: String?) throws {
        guard let url = try? ParsedURL(address, schemes: ["https", "http"]) else {
            throw CommandError.usage("\(Printable.text(address)) is no address of a server")
        }
        guard url.scheme == "https" || url.isLoopback else {
            throw CommandError.usage(
                "a secret is not sent without TLS to another machine",
                hint: "use its https address, or import the file of its database")
        }
        var text = url.text
        while text.last == "/" { text.removeLast() }
        base = text
        fields = [secret.field(keyField: keyField)]
        self.authority = authority
    }

    func get(_ path: String) throws -> JSONNode {
        guard let node = JSONNode(json: try bytes(path)) else { throw unreadable }
        return node
    }

    /// The body of an answer with status 200.
    func bytes(_ path: String, limit: Int = answerLimit) throws -> [UInt8] {
        var request = HTTPRequest(
            method: "GET", url: base + path, fields: fields, certificateFile: authority)
        request.answerLimit = limit
        let response = try HTTPClient.send(
            request, userAgent: "bellwire/\(ProgramVersion.text)")
        switch response.status {
        case 200: break
        case 401, 403:
            throw CommandError.refused(
                "\(base) does not take the secret",
                hint: "write a token, or USER:PASSWORD, into the file")
        default:
            throw CommandError.unavailable("\(base) answers with status \(response.status)")
        }
        guard response.body.count < limit else {
            throw CommandError(message: "an answer of \(base) is longer than \(limit) bytes")
        }
        return response.body
    }

    /// The path of an address of this server; nil for that of another.
    func path(of address: String) -> String? {
        address.hasPrefix(base + "/") ? String(address.dropFirst(base.count)) : nil
    }

    var unreadable: CommandError {
        CommandError(message: "an answer of \(base) cannot be read")
    }
}

/// What opens the API of another server: a token, or a user and a password.
struct ForeignSecret: Confidential {
    private let text: String

    private static let limit = 4_096

    /// The first line of the file that only its owner can read, or of standard input.
    init(_ arguments: Arguments) throws {
        guard let path = arguments["token-file"] else {
            throw CommandError.usage(
                "--token-file is missing",
                hint:
                    "name a file that you alone can read, with a token or USER:PASSWORD, or - for "
                    + "standard input")
        }
        let bytes: [UInt8]
        if path == "-" {
            guard let read = try StandardInput.readAll(limit: Self.limit) else {
                throw CommandError(message: "the secret is too long")
            }
            bytes = read
        } else {
            bytes = try KeyFile.read(path)
        }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard 1...Self.limit ~= line.count, line.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw CommandError(message: "the first line is no token and no USER:PASSWORD")
        }
        text = String(decoding: line, as: UTF8.self)
    }

    /// `keyField`: in which a token is sent that is no bearer.
    fileprivate func field(keyField: String?) -> (name: String, value: String) {
        if text.contains(":") {
            return ("Authorization", "Basic " + Base64.text(Array(text.utf8).span))
        }
        return keyField.map { ($0, text) } ?? ("Authorization", "Bearer " + text)
    }
}
