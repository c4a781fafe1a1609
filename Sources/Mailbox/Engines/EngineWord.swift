package import Base
package import Notifications

/// An update as clients read it, and for which of them it is.
package struct EngineWord: Equatable, Sendable, Confidential {
    package enum Audience: String, Sendable {
        case everybody
        /// Fetchers, or viewers if there are none.
        case actors
        /// Fetchers that asked for raw payloads.
        case rawFetchers
    }

    package let text: [UInt8]
    package let audience: Audience
    /// It only informs: it is done once one client received it.
    package let isNotice: Bool

    init(text: [UInt8], audience: Audience, isNotice: Bool) {
        self.text = text
        self.audience = audience
        self.isNotice = isNotice
    }

    /// The caller's writer is used for each text.
    package init(_ update: Update, _ writer: inout JSONWriter) {
        writer.removeAll()
        update.write(to: &writer)
        text = writer.bytes
        audience =
            switch update {
            case .notificationAction: .actors
            case .rawPush: .rawFetchers
            default: .everybody
            }
        isNotice =
            switch update {
            case .fetchRequired, .dcOption, .liveLocationsNeeded: true
            default: false
            }
    }

    package static func words(_ updates: [Update]) -> [EngineWord] {
        var writer = JSONWriter(capacity: 1_024)
        return updates.map { EngineWord($0, &writer) }
    }
}
