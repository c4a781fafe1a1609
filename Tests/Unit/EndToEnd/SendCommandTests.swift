import Base
import Crypto
import Foundation
import TestSupport
import Testing
import WebPush

@Suite("bellwire send")
struct SendCommandTests {
    private let server: OneRequestServer
    private let folder: String
    private let keys: StoredKeyFile

    /// A receiver's keys, known only to the test.
    private struct StoredKeyFile: Decodable {
        let priv: String
        let pub: String
        let auth: String
    }

    init() throws {
        server = try OneRequestServer()
        folder = NSTemporaryDirectory() + "bellwire-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        _ = try Program.run(["keys", "new", "receiver", folder + "/receiver"])
        _ = try Program.run(["keys", "new", "vapid", folder + "/vapid"])
        keys = try JSONDecoder().decode(
            StoredKeyFile.self, from: Data(contentsOf: URL(filePath: folder + "/receiver")))
        let subscription = """
            {"endpoint": "http://127.0.0.1:\(server.port)/wpush/v1/secret-token",
             "expirationTime": null, "keys": {"p256dh": "\(keys.pub)", "auth": "\(keys.auth)"}}
            """
        try Data(subscription.utf8).write(to: URL(filePath: folder + "/subscription.json"))
        chmod(folder + "/subscription.json", 0o600)
    }

    private struct Exchange {
        let outcome: Program.Outcome
        let head: String
        let body: [UInt8]

        func field(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    private func send(
        _ arguments: [String], input: String = "",
        answer: String =
            "HTTP/1.1 201 Created\r\nLocation: /m/1\r\nTTL: 60\r\nContent-Length: 0\r\n\r\n"
    ) async throws -> Exchange {
        let server = server
        async let request = onThread { server.serve(answer) }
        let arguments = ["send", "--to", folder + "/subscription.json"] + arguments
        let outcome = try await onThread {
            try Program.run(arguments, input: Data(input.utf8))
        }
        let (head, body) = try await request
        return Exchange(outcome: outcome, head: head, body: body)
    }

    private func decrypt(_ exchange: Exchange, _ encoding: ContentEncoding) throws -> [UInt8] {
        var decryptor = try Decryptor()
        guard let privateKey = try PrivateKey(bytes(keys.priv).span),
            let receiver = ReceiverKeys(privateKey: privateKey, auth: secret(keys.auth))
        else { return [] }
        let parameters =
            switch encoding {
            case .aes128gcm: try EncryptionParameters(aes128gcm: exchange.body.span)
            case .aesgcm:
                try EncryptionParameters(
                    aesgcm: exchange.body.span,
                    encryption: exchange.field("encryption").map { Array($0.utf8) },
                    cryptoKey: exchange.field("crypto-key").map { Array($0.utf8) })
            }
        return try decryptor.decrypt(exchange.body.span, parameters, keys: receiver)
    }

    @Test("A message arrives encrypted and signed", arguments: ContentEncoding.allCases)
    func message(encoding: ContentEncoding) async throws {
        let exchange = try await send([
            "--encoding", encoding.rawValue, "--vapid-key", folder + "/vapid",
            "--subject", "mailto:admin@example.net", "--topic", "news", "--urgency=high",
            "--ttl", "60", "hello",
        ])
        #expect(exchange.outcome.exitCode == 0)
        #expect(
            exchange.outcome.output
                == "201 the push service accepted the push\nlocation: /m/1\nttl: 60\n")
        #expect(exchange.head.hasPrefix("POST /wpush/v1/secret-token HTTP/1.1\r\n"))
        #expect(exchange.field("content-encoding") == encoding.rawValue)
        #expect(exchange.field("ttl") == "60" && exchange.field("topic") == "news")
        #expect(exchange.field("urgency") == "high")
        #expect(try decrypt(exchange, encoding) == Array("hello".utf8))

        var verifier = try VAPIDVerifier()
        let policy = VAPIDPolicy(
            now: Date().timeIntervalSince1970,
            origins: [Array("http://127.0.0.1:\(server.port)".utf8)], leeway: 0)
        #expect(throws: Never.self) {
            try verifier.verify(
                authorization: exchange.field("authorization").map { Array($0.utf8) },
                cryptoKey: exchange.field("crypto-key").map { Array($0.utf8) }, policy: policy)
        }
    }

    @Test("A message comes from standard input or a file, and may be empty or absent")
    func sources() async throws {
        let fromInput = try await send(["-"], input: "from a pipe")
        #expect(try decrypt(fromInput, .aes128gcm) == Array("from a pipe".utf8))
        try Data("from a file".utf8).write(to: URL(filePath: folder + "/message"))
        let fromFile = try await send(["--file", folder + "/message"])
        #expect(try decrypt(fromFile, .aes128gcm) == Array("from a file".utf8))
        let empty = try await send([""])
        #expect(try decrypt(empty, .aes128gcm) == [])
        let absent = try await send([])
        #expect(absent.body.isEmpty && absent.field("content-encoding") == nil)
        #expect(absent.field("content-length") == "0" && absent.field("ttl") == "86400")
    }

    @Test(
        "The exit code and the text say what an answer means",
        arguments: [
            (410, Int32(3), "stop using this endpoint"), (404, 3, "stop using this endpoint"),
            (413, 3, "too large"), (401, 3, "signature"), (301, 3, "redirects are not followed"),
            (429, 4, "wait"), (503, 4, "try again later"), (200, 0, "accepted the push"),
        ])
    func verdicts(status: Int, exitCode: Int32, meaning: String) async throws {
        let answer =
            "HTTP/1.1 \(status) X\r\nRetry-After: 7\r\nContent-Length: 9\r\n\r\n\u{1B}[2Jx\u{202E}y"
        let exchange = try await send(["hello"], answer: answer)
        #expect(exchange.outcome.exitCode == exitCode)
        #expect(exchange.outcome.output.contains(meaning))
        #expect(exchange.outcome.output.contains("retry-after: 7"))
        #expect(!exchange.outcome.output.contains("\u{1B}"))
        let text = exchange.outcome.output + exchange.outcome.errors
        #expect(!text.contains("secret-token") && !text.contains(keys.auth))
    }

    @Test("A message with an id replaces the earlier one, and can be removed")
    func named() async throws {
        let cases = [
            (
                ["--custom-id", "7", "Hi \"you\""],
                #"{"aps":{"alert":"Hi \"you\"","mutable-content":1},"payload":"{\"customId\":\"7\"}"}"#
            ),
            (
                ["--custom-id", "7", "--retract"],
                #"{"aps":{"mutable-content":1},"payload":"{\"customId\":\"7\",\"retract\":true}"}"#
            ),
        ]
        for (arguments, text) in cases {
            let exchange = try await send(arguments)
            #expect(exchange.outcome.exitCode == 0)
            let body = try decrypt(exchange, .aes128gcm)
            #expect(String(decoding: body, as: UTF8.self) == text)
        }
    }

    @Test("A message has a title, a sound and a badge, and a badge may come alone")
    func apple() async throws {
        let cases = [
            (
                ["--title", "Door", "--sound", "bell", "--badge", "3", "Somebody is there"],
                #"{"aps":{"alert":{"title":"Door","body":"Somebody is there"},"sound":"bell","badge":3}}"#
            ),
            (["--sound", "bell", "Hi"], #"{"aps":{"alert":"Hi","sound":"bell"}}"#),
            (["--title", "Door"], #"{"aps":{"alert":{"title":"Door"}}}"#),
            (["--badge", "0"], #"{"aps":{"badge":0}}"#),
            (
                ["--title", "T", "--custom-id", "7", "--badge", "1", "Hi"],
                #"{"aps":{"alert":{"title":"T","body":"Hi"},"badge":1,"mutable-content":1},"payload":"{\"customId\":\"7\"}"}"#
            ),
            (
                ["--custom-id", "7", "--retract", "--badge", "0"],
                #"{"aps":{"badge":0,"mutable-content":1},"payload":"{\"customId\":\"7\",\"retract\":true}"}"#
            ),
        ]
        for (arguments, text) in cases {
            let exchange = try await send(arguments)
            #expect(exchange.outcome.exitCode == 0)
            let body = try decrypt(exchange, .aes128gcm)
            #expect(String(decoding: body, as: UTF8.self) == text)
        }
        let help = try Program.run(["send", "--help"]).output
        for option in ["--title TEXT", "--sound NAME", "--badge NUMBER"] {
            #expect(help.contains(option))
        }
    }

    @Test(
        "A name without a message, or a retraction without a name, is wrong usage",
        arguments: [
            ["--custom-id", "7"], ["--retract"], ["--custom-id", "7", "--retract", "x"],
            ["--custom-id", "", "x"], ["--custom-id", "7", "--badge", "1"], ["--retract", "x"],
            ["--custom-id", "7", "--retract", "--title", "T"], ["--sound", "bell"],
            ["--badge", "-1", "x"], ["--badge", "many", "x"], ["--badge", "1", "--sound", "bell"],
        ])
    func misnamed(arguments: [String]) throws {
        let outcome = try Program.run(
            ["send", "--to", folder + "/subscription.json"] + arguments)
        #expect(outcome.exitCode == 2 && outcome.output.isEmpty)
    }

    @Test("A failed connection has its own error, which does not show the endpoint")
    func unreachable() throws {
        let outcome = try Program.run([
            "send", "--endpoint", "http://127.0.0.1:1/secret-token", "--ttl", "0",
        ])
        #expect(outcome.exitCode == 4 && outcome.errors.contains("connect"))
        #expect(!outcome.errors.contains("secret-token"))
    }

    @Test(
        "A wrong option is refused before anything is sent",
        arguments: [
            ["--topic", "not a topic"], ["--urgency", "urgent"], ["--ttl", "-1"],
            ["--encoding", "gzip"],
            ["--subject", "mailto:a@example.net"], ["one", "two"],
            ["--endpoint", "http://127.0.0.1/"],
        ])
    func usage(arguments: [String]) throws {
        let to = ["send", "--to", folder + "/subscription.json", "x"]
        let outcome = try Program.run(to + arguments)
        #expect(outcome.exitCode == 2 && outcome.output.isEmpty)
    }

    @Test("A subscription that others can read is refused, as a key is")
    func readableByOthers() throws {
        let path = folder + "/subscription.json"
        chmod(path, 0o644)
        let outcome = try Program.run(["send", "--to", path, "x"])
        #expect(outcome.exitCode == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("can be read by others (mode 644)"))
        #expect(outcome.errors.contains("hint: run chmod 600"))
    }

    @Test("A message that is too long is refused with the limit")
    func tooLong() throws {
        try Data(count: 5000).write(to: URL(filePath: folder + "/long"))
        let outcome = try Program.run([
            "send", "--to", folder + "/subscription.json", "--file", folder + "/long",
        ])
        #expect(outcome.exitCode == 1 && outcome.errors.contains("at most 4078 bytes"))
    }
}
