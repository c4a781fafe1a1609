import Base

/// An address for what sends to webhooks of Slack or Discord: `/hooks/slack/TOKEN`,
/// `/hooks/discord/TOKEN`, and below the latter the forms of others that Discord takes.
package struct HookRoute: Equatable, Sendable, Confidential {
    /// Whose answers the sender expects.
    package enum Face: String, CaseIterable, Sendable {
        case slack, discord
    }

    /// Whose messages the sender sends.
    package enum Form: String, Sendable {
        case slack, discord, github
    }

    package let face: Face
    /// Nil for an address that is none.
    package let form: Form?
    package let token: String

    private static let start: StaticString = "/hooks/"
    private static let longestPath = 512

    /// Nil for another path.
    package init?(path: Span<UInt8>) {
        let length = Self.start.utf8CodeUnitCount
        guard (length...Self.longestPath).contains(path.count),
            path.extracting(0..<length).elementsEqual(Self.start)
        else { return nil }
        let text = String(decoding: path.array(path.indices), as: UTF8.self)
        let words = text.split(separator: "/")
        guard words.count > 1, let face = Face(rawValue: String(words[1])) else { return nil }
        self.face = face
        token = words.count > 2 ? String(words[2]) : ""
        switch words.count {
        case 3: form = face == .slack ? .slack : .discord
        case 4 where face == .discord:
            form = Form(rawValue: String(words[3])).flatMap { $0 == .discord ? nil : $0 }
        default: form = nil
        }
    }

    /// The address, below that of the server.
    package static func path(_ face: Face, _ token: String) -> String {
        "\(start)\(face.rawValue)/\(token)"
    }
}

extension TokenTerms {
    /// The topic that a sender reaches who cannot name one; nil if the token is for several, or does
    /// not push.
    package var onlyTopic: TopicName? {
        allows(.publish) ? named : nil
    }

    /// A pattern for several topics is no name.
    private var named: TopicName? { TopicName(hooked: pattern.text) }

    /// The topic of a message. The address counts before the sender.
    package func topic(
        named query: String, channel: String
    ) throws(HookRefusal) -> TopicName {
        guard query.isEmpty else {
            guard let name = TopicName(hooked: query) else { throw .noTopic }
            return name
        }
        if let named { return named }
        let sign = channel.first.map { "#@".contains($0) } == true
        guard let name = TopicName(hooked: channel.dropFirst(sign ? 1 : 0)) else {
            throw .noTopic
        }
        return name
    }
}

extension TopicName {
    /// What comes to names of UnifiedPush is for an application alone.
    fileprivate init?(hooked text: some StringProtocol) {
        self.init(text)
        guard !isReserved, !isUnifiedPush else { return nil }
    }
}
