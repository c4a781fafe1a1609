import Base
import Notifications

/// The part of a list that a client asks for, newest first.
package struct GotifyPage: Equatable, Sendable {
    package private(set) var limit: Int64 = 100
    /// Only messages that are older than this one; 0 for the newest.
    package private(set) var since: Int64 = 0

    private static let limits: ClosedRange<Int64> = 1...200

    package init(query: Span<UInt8>) throws(GotifyRefusal) {
        let fields = GotifyFields(query: query)
        limit = try fields.number("limit") ?? limit
        since = try fields.number("since") ?? since
        guard Self.limits.contains(limit) else { throw .bad("limit") }
        guard since >= 0 else { throw .bad("since") }
    }
}

/// What a client wants an application to be. An application is a topic.
package struct GotifyApplicationFields: Equatable, Sendable, Confidential {
    package let name: String
    package let description: String
    package let defaultPriority: Int64
    package let sortKey: String

    package init(_ fields: GotifyFields) throws(GotifyRefusal) {
        name = try fields.name
        description = try fields.text("description") ?? ""
        defaultPriority = try fields.number("defaultPriority") ?? 0
        sortKey = try fields.text("sortKey") ?? ""
    }

    package func topicName(attempt: Int) -> TopicName? {
        TopicName(ofApplication: name, attempt: attempt)
    }
}

extension TopicName {
    /// A name for the topic of an application: what is left of the application's own, which may have
    /// any characters. After 0 each `attempt` gives another one.
    package init?(ofApplication name: String, attempt: Int) {
        let words = name.utf8.split { !$0.isWordCharacter }.compactMap { String($0) }
        let stem = words.isEmpty ? "topic" : words.joined(separator: "-")
        let end = attempt == 0 ? "" : "-\(attempt + 1)"
        let start = stem.prefix(TopicName.longest - end.utf8.count) + end
        guard let name = TopicName(start) else { return nil }
        let isFree =
            !name.isReserved && !name.isUnifiedPush && !name.text.hasPrefix(TopicName.secretPrefix)
        guard !isFree else {
            self = name
            return
        }
        self.init(("topic-" + start).prefix(TopicName.longest))
    }
}

extension GotifyFields {
    /// Of an application or a client.
    package var name: String {
        get throws(GotifyRefusal) {
            guard let name = try text("name"), !name.isBlank else { throw .missing("name") }
            return name
        }
    }

    /// The application that a message is for, where the credential does not say that.
    package var application: Int64 {
        get throws(GotifyRefusal) {
            guard let id = try number("appid"), id > 0 else { throw .missing("appid") }
            return id
        }
    }
}

/// The picture that a client gives an application.
package struct GotifyPicture: Sendable, Confidential {
    /// What its name ends with.
    package let suffix: String
    package let bytes: [UInt8]

    private static let suffixes: Set = [".png", ".jpg", ".gif", ".webp"]

    /// The field `file` of a form.
    package init(type: Span<UInt8>, _ body: [UInt8]) throws(GotifyRefusal) {
        guard let boundary = MultipartForm.boundary(type),
            let parts = MultipartForm.parts(of: body, boundary: boundary),
            let file = parts.first(where: { $0.name == "file" && $0.isFile })
        else { throw .noPicture }
        (suffix, bytes) = (FileType(of: file.value).suffix, file.value)
        guard Self.suffixes.contains(suffix) else { throw .noPicture }
    }
}
