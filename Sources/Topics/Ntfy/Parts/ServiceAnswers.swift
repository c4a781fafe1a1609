package import Base

/// What clients of ntfy ask of a server besides messages. What this server does not have, such as
/// e-mail, is named all the same: some clients require the members.
package enum ServiceAnswers {
    package static let success: [UInt8] = Array(#"{"success":true}"#.utf8)

    package static func health(isHealthy: Bool) -> [UInt8] {
        bytes { $0.member("healthy", isHealthy) }
    }

    /// `messages` since the server began to count.
    package static func statistics(messages: Int, perSecond rate: Double) -> [UInt8] {
        bytes { writer in
            writer.member("messages", messages)
            writer.member("messages_rate", json: rate.isFinite ? "\(rate)" : "0.0")
        }
    }

    /// For administrators.
    package static func version(_ version: String, commit: String, date: String) -> [UInt8] {
        bytes { writer in
            writer.member("version", version)
            writer.member("commit", commit)
            writer.member("date", date)
        }
    }

    /// `revision` changes when the rest does, because clients then read it again.
    package static func configuration(requiresLogin: Bool, revision: String) -> [UInt8] {
        bytes { writer in
            // A page takes its own origin.
            writer.member("base_url", "")
            writer.member("app_root", "/")
            writer.member("enable_login", true)
            writer.member("require_login", requiresLogin)
            writer.member("enable_signup", false)
            writer.member("enable_payments", false)
            writer.member("enable_calls", false)
            writer.member("enable_emails", false)
            writer.member("enable_email_verify", false)
            writer.member("enable_reservations", false)
            writer.member("enable_web_push", false)
            writer.member("billing_contact", "")
            writer.member("web_push_public_key", "")
            writer.name("disallowed_topics")
            writer.array { writer in TopicName.reserved.forEach { writer.string($0) } }
            writer.member("config_hash", revision)
        }
    }

    /// The same as a script of the type `text/javascript`.
    package static func script(requiresLogin: Bool, revision: String) -> [UInt8] {
        let json = configuration(requiresLogin: requiresLogin, revision: revision)
        return Array("var config = ".utf8) + json + Array(";\n".utf8)
    }

    private static func bytes(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object(members)
        return writer.bytes
    }
}

/// What a caller is told about the account of its credential.
package struct ServiceAccount: Sendable, Confidential {
    package enum Role: String, Sendable {
        case anonymous, user, admin
    }

    /// What the account may have, in bytes, seconds and numbers; 0 where there is no limit.
    package struct Limits: Sendable {
        package var messages = 0
        package var historySeconds = 0
        package var allAttachments = 0
        package var attachment = 0
        package var attachmentSeconds = 0
        package var attachmentTraffic = 0

        package init() {}
    }

    package let role: Role
    private let name: String
    package var limits = Limits()
    /// Accepted today.
    package var messages = 0
    /// The bytes of all attachments.
    package var attachments = 0
    package var tokens: [ServiceToken] = []

    /// Without a name, the account of callers who have no credential.
    package init(_ name: String? = nil, isAdministrator: Bool = false) {
        self.name = name ?? "*"
        role = name == nil ? .anonymous : isAdministrator ? .admin : .user
    }

    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("username", name)
            writer.member("role", role.rawValue)
            if !tokens.isEmpty {
                var tokens = tokens
                writer.fields { $0.member("tokens", &tokens) }
            }
            writer.name("limits")
            writer.object { writer in
                writer.member("basis", role == .anonymous ? "ip" : "tier")
                for (name, number) in allowed { writer.member(name, number) }
            }
            writer.name("stats")
            writer.object { writer in
                for (name, number) in used { writer.member(name, number) }
            }
        }
        return writer.bytes
    }

    private var allowed: [(StaticString, Int)] {
        [
            ("messages", limits.messages), ("messages_expiry_duration", limits.historySeconds),
            ("emails", 0), ("calls", 0), ("reservations", 0),
            ("attachment_total_size", limits.allAttachments),
            ("attachment_file_size", limits.attachment),
            ("attachment_expiry_duration", limits.attachmentSeconds),
            ("attachment_bandwidth", limits.attachmentTraffic),
        ]
    }

    private var used: [(StaticString, Int)] {
        [
            ("messages", messages), ("messages_remaining", max(0, limits.messages - messages)),
            ("emails", 0), ("emails_remaining", 0), ("calls", 0), ("calls_remaining", 0),
            ("reservations", 0), ("reservations_remaining", 0),
            ("attachment_total_size", attachments),
            ("attachment_total_size_remaining", max(0, limits.allAttachments - attachments)),
        ]
    }
}

/// A token as the answer has it, and what a request for one says.
package struct ServiceToken: JSONObject, Sendable, Confidential {
    package var token = ""
    package var label = ""
    /// Seconds since 1970; nil if the token was never used, or if a request does not say.
    package var lastAccess: Int?
    package var lastOrigin = ""
    /// Seconds since 1970; 0 for never.
    package var expires: Int?

    package init() {}

    package mutating func fields(_ fields: inout JSONFields) {
        fields.text("token", &token)
        fields.text("label", &label)
        fields.member("last_access", &lastAccess)
        fields.text("last_origin", &lastOrigin)
        fields.member("expires", &expires)
    }
}

extension ServiceToken {
    /// The body of a request to make or change one. A wrong member is refused, because a token whose
    /// end is not understood would have none.
    package init(request body: [UInt8]) throws(NtfyRefusal) {
        self.init()
        guard !body.isEmpty else { return }
        guard let root = JSONNode(json: body), root.kind == .object else { throw .badJSON }
        let kinds: [(StaticString, JSONDocument.Kind)] = [
            ("token", .string), ("label", .string), ("expires", .number),
        ]
        for (name, kind) in kinds {
            guard [kind, .null].contains(root[name]?.kind ?? .null) else { throw .badJSON }
        }
        self = ServiceToken(root)
        guard expires ?? 0 >= 0, (expires == nil) == (root["expires"]?.kind ?? .null == .null)
        else {
            throw .badJSON
        }
    }
}
