import Base
import TestSupport
import Testing

@testable import Topics

@Suite("What clients of ntfy ask of a server")
struct ServiceAnswersTests {
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func small() {
        #expect(Self.text(ServiceAnswers.health(isHealthy: true)) == #"{"healthy":true}"#)
        #expect(Self.text(ServiceAnswers.health(isHealthy: false)) == #"{"healthy":false}"#)
        #expect(Self.text(ServiceAnswers.success) == #"{"success":true}"#)
        #expect(
            Self.text(ServiceAnswers.version("1.0", commit: "abc", date: "2026-11-29T09:00:00Z"))
                == #"{"version":"1.0","commit":"abc","date":"2026-11-29T09:00:00Z"}"#)
        #expect(
            Self.text(ServiceAnswers.statistics(messages: 12, perSecond: 0.25))
                == #"{"messages":12,"messages_rate":0.25}"#)
        #expect(Self.text(ServiceAnswers.statistics(messages: 0, perSecond: .nan)).contains("0.0"))
    }

    @Test("The configuration has every member, as JSON and as a script")
    func configuration() throws {
        let json = ServiceAnswers.configuration(requiresLogin: true, revision: "r1")
        let root = try JSONDocument(json).root
        #expect(
            root.members.map(\.name) == [
                "base_url", "app_root", "enable_login", "require_login", "enable_signup",
                "enable_payments", "enable_calls", "enable_emails", "enable_email_verify",
                "enable_reservations", "enable_web_push", "billing_contact",
                "web_push_public_key", "disallowed_topics", "config_hash",
            ])
        #expect(root["require_login"]?.bool == true && root["base_url"]?.text == "")
        #expect(root["disallowed_topics"]?.texts?.contains("wpush") == true)
        let script = Self.text(ServiceAnswers.script(requiresLogin: true, revision: "r1"))
        #expect(script == "var config = \(Self.text(json));\n")
    }

    private static let numbers = [
        "limits": [
            "messages", "messages_expiry_duration", "emails", "calls", "reservations",
            "attachment_total_size", "attachment_file_size", "attachment_expiry_duration",
            "attachment_bandwidth",
        ],
        "stats": [
            "messages", "messages_remaining", "emails", "emails_remaining", "calls",
            "calls_remaining", "reservations", "reservations_remaining",
            "attachment_total_size", "attachment_total_size_remaining",
        ],
    ]

    @Test("Both kinds of accounts have all numbers, because aiontfy requires each")
    func accounts() throws {
        var account = ServiceAccount("berta", isAdministrator: true)
        (account.limits.messages, account.messages) = (10, 3)
        (account.limits.allAttachments, account.attachments) = (100, 200)
        for (account, name, role, basis) in [
            (account, "berta", "admin", "tier"), (ServiceAccount("anna"), "anna", "user", "tier"),
            (ServiceAccount(), "*", "anonymous", "ip"),
        ] {
            let root = try JSONDocument(account.json).root
            #expect(root["username"]?.text == name && root["role"]?.text == role)
            #expect(root["limits"]?["basis"]?.text == basis)
            #expect(root.has("tokens") == false)
            for (object, names) in Self.numbers {
                let members = root.members.first { $0.name == object }?.value.members ?? []
                let integers = members.filter { $0.value.kind == .number }
                #expect(integers.map(\.name) == names)
            }
        }
        var unlimited = ServiceAccount("anna")
        unlimited.messages = 3
        let none = try JSONDocument(unlimited.json).root["stats"]
        #expect(none?["messages_remaining"]?.integer == 0)
        let stats = try JSONDocument(account.json).root["stats"]
        #expect(stats?["messages_remaining"]?.integer == 7)
        #expect(stats?["attachment_total_size_remaining"]?.integer == 0)
    }

    @Test("A token is listed and answered with what is known of it")
    func tokens() throws {
        var token = ServiceToken()
        token.token = "tk_0123456789abcdefghijklmnopqrs"
        token.expires = 0
        let json = #"{"token":"tk_0123456789abcdefghijklmnopqrs","expires":0}"#
        #expect(Self.text(token.json) == json)
        (token.label, token.lastAccess, token.lastOrigin) = ("phone", 5, "127.0.0.1")
        var account = ServiceAccount("anna")
        account.tokens = [token]
        #expect(
            Self.text(account.json).contains(
                #""tokens":[{"token":"tk_0123456789abcdefghijklmnopqrs","label":"phone","#
                    + #""last_access":5,"last_origin":"127.0.0.1","expires":0}]"#))
        #expect("\(token)\(account)" == "<ServiceToken><ServiceAccount>")
    }

    @Test("A request for a token is read")
    func requests() throws {
        func token(_ json: String) throws -> ServiceToken {
            try ServiceToken(request: Array(json.utf8))
        }
        let assistant = try token(#"{"label":"Home Assistant","expires":0}"#)
        #expect(assistant.label == "Home Assistant" && assistant.expires == 0)
        let silent = try token(#"{"label":null,"token":"tk_x"}"#)
        #expect(silent.label == "" && silent.expires == nil && silent.token == "tk_x")
        let end = try token(#"{"expires":1800000000,"more":[]}"#)
        #expect(end.expires == 1_800_000_000 && end.label == "")
        #expect(try token("").expires == nil)
        #expect(try token(#"{"expires":null}"#).expires == nil)
        for wrong in [
            #"{"expires":"1800000000"}"#, #"{"expires":1.5}"#, #"{"expires":-1}"#,
            #"{"expires":1e30}"#, #"{"expires":true}"#, #"{"expires":[1800000000]}"#,
            #"{"label":7}"#, #"{"token":{}}"#, "[]", "{", "7",
        ] {
            #expect(throws: NtfyRefusal.badJSON, "\(wrong)") { try token(wrong) }
        }
    }
}
