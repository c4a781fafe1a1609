package import Base

/// A topic, as Gotify's clients know it.
package struct GotifyApplication: GotifyAnswer, Sendable, Confidential {
    package var id: Int64 = 0
    package var name = ""
    package var description = ""
    package var defaultPriority: Int64 = 0
    package var sortKey = ""
    /// Of a picture of its own; empty for the usual one.
    package var picture = ""
    /// Only in the answer that makes it, because the server keeps a hash. Clients fail if the
    /// member is missing.
    package var token: TopicToken?
    /// In seconds since 1970, as the next one.
    package var created: Int64 = 0
    package var used: Int64?

    package init() {}

    package func members(_ writer: inout JSONWriter) {
        writer.member("id", Int(id))
        writer.member("token", token?.text ?? "")
        writer.member("name", name)
        writer.member("description", description)
        writer.member("internal", false)
        // Clients put the address of the server before it.
        writer.member("image", picture.isEmpty ? "static/defaultapp.png" : "image/\(picture)")
        writer.member("defaultPriority", Int(defaultPriority))
        writer.date("lastUsed", used)
        writer.member("sortKey", sortKey)
        writer.date("createdAt", created)
    }
}

/// A read token, as Gotify's clients know it.
package struct GotifyClient: GotifyAnswer, Sendable, Confidential {
    package var id: Int64 = 0
    package var name = ""
    /// As for an application.
    package var token: TopicToken?
    /// In seconds since 1970, as the next ones.
    package var created: Int64 = 0
    package var used: Int64?
    package var end: Int64?

    package init() {}

    package func members(_ writer: inout JSONWriter) {
        writer.member("id", Int(id))
        writer.member("token", token?.text ?? "")
        writer.member("name", name)
        writer.date("lastUsed", used)
        writer.date("createdAt", created)
        writer.date("expiresAt", end)
    }
}

/// An owner, as Gotify's clients know it.
package struct GotifyUser: GotifyAnswer, Sendable, Confidential {
    private let id: Int64
    private let name: String

    package init(id: Int64, name: String) { (self.id, self.name) = (id, name) }

    /// Nobody is an administrator by Gotify's paths.
    package func members(_ writer: inout JSONWriter) {
        writer.member("id", Int(id))
        writer.member("name", name)
        writer.member("admin", false)
    }
}

/// What the server says about itself to everybody.
package enum GotifyServer {
    package struct Version: GotifyAnswer, Sendable {
        package let version: String

        package init(_ version: String) { self.version = version }

        package func members(_ writer: inout JSONWriter) {
            writer.member("version", version)
            writer.member("commit", "")
            writer.member("buildDate", "")
        }
    }

    package struct Info: GotifyAnswer, Sendable {
        package let version: String

        package init(_ version: String) { self.version = version }

        package func members(_ writer: inout JSONWriter) {
            writer.member("version", version)
            writer.member("register", false)
            writer.member("oidc", false)
        }
    }

    /// Clients of Gotify and of autopush ask at one address, so both find their members.
    package struct Health: GotifyAnswer, Sendable {
        package let version: String
        package let isUsable: Bool

        package init(_ version: String, isUsable: Bool) {
            (self.version, self.isUsable) = (version, isUsable)
        }

        package func members(_ writer: inout JSONWriter) {
            writer.member("status", isUsable ? "OK" : "ERROR")
            writer.member("version", version)
            if !isUsable { writer.member("error", "the store cannot be used") }
            writer.member("health", isUsable ? "green" : "orange")
            writer.member("database", isUsable ? "green" : "red")
        }
    }
}

extension JSONWriter {
    /// Null if there is none.
    fileprivate mutating func date(_ name: StaticString, _ seconds: Int64?) {
        guard let seconds else { return member(name, json: "null") }
        member(name, GotifyDate.text(seconds))
    }
}
