import Base

/// TDLib's `reactionNotificationSettings`. The server applies them, not the engine.
struct ReactionNotificationSettings: Equatable, Sendable {
    /// Whose reactions are announced. It is stored as its number.
    enum Source: UInt8, CaseIterable, Sendable {
        case none = 0
        case contacts = 1
        case all = 2

        static let typeNames = allCases.map(\.typeName)

        var typeName: String {
            let name = "\(self)"
            return "reactionNotificationSource" + name.prefix(1).uppercased() + name.dropFirst()
        }
    }

    /// The members for reactions to messages, for reactions to stories, and for votes in polls.
    static let sourceNames: [StaticString] = [
        "message_reaction_source", "story_reaction_source", "poll_vote_source",
    ]

    /// In the order of their names.
    var sources = [Source](repeating: .contacts, count: 3)
    var soundID: Int64 = -1
    var showsPreview = true

    init() {}

    /// Null means the defaults.
    init(_ node: JSONNode?) {
        guard let node, node.kind == .object else { return }
        sources = Self.sourceNames.map { name in
            let type = node[name]?["@type"]?.text
            return Source.allCases.first { $0.typeName == type } ?? .none
        }
        soundID = node["sound_id"]?.integer ?? 0
        showsPreview = node.flag("show_preview")
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("@type", "reactionNotificationSettings")
            for (name, source) in zip(Self.sourceNames, sources) {
                writer.name(name)
                writer.object { $0.member("@type", source.typeName) }
            }
            writer.member("sound_id", int64: soundID)
            writer.member("show_preview", showsPreview)
        }
    }
}
