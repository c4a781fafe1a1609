/// What a request in ntfy's language can say beside its body.
package enum NtfyParameter: Hashable, CaseIterable, Sendable {
    case message, title, priority, tags, click, icon, actions, isMarkdown
    case attach, filename
    case delay, timezone, isKept, sequence, template
    case email, call, usesFirebase, pollID
    case isUnifiedPush
    /// The body is text, also if it looks like the JSON of a known service.
    case isRaw
    /// What is asked: the answers with commas, or one each time.
    case ask, answer
    /// How long a request waits for the end of a question, and how long that is open.
    case wait
    /// RFC 7240.
    case preference
    /// Of streams.
    case polls, since, isScheduled, id
    /// Of header fields alone.
    case contentType, contentEncoding
    /// For how many seconds an application can use what is for it (RFC 8030 section 5.2).
    case ttl
    /// What happened in a repository.
    case event

    /// The names by which header fields and queries say it; the first one that is there counts.
    fileprivate var names: String {
        switch self {
        case .message: "x-message message m"
        case .title: "x-title title t"
        case .priority: "x-priority priority prio p"
        case .tags: "x-tags tags tag ta"
        case .click: "x-click click"
        case .icon: "x-icon icon"
        case .actions: "x-actions actions action"
        case .isMarkdown: "x-markdown markdown md"
        case .attach: "x-attach attach a"
        case .filename: "x-filename filename file f"
        case .delay: "x-delay delay x-at at x-in in"
        case .timezone: "x-timezone timezone"
        case .isKept: "x-cache cache"
        case .sequence: "x-sequence-id sequence-id sid"
        case .template: "x-template template tpl"
        case .email: "x-email x-e-mail email e-mail mail e"
        case .call: "x-call call"
        case .usesFirebase: "x-firebase firebase"
        case .pollID: "x-poll-id poll-id"
        case .isUnifiedPush: "x-unifiedpush unifiedpush up"
        case .isRaw: "x-raw raw"
        case .ask: "x-ask ask"
        case .answer: "x-answer answer"
        case .wait: "x-wait wait"
        case .preference: "prefer"
        case .polls: "x-poll poll po"
        case .since: "x-since since si"
        case .isScheduled: "x-scheduled scheduled sched"
        case .id: "x-id id"
        case .contentType: "content-type"
        case .contentEncoding: "content-encoding"
        case .ttl: "ttl"
        case .event: "x-github-event x-forgejo-event x-gitea-event"
        }
    }

    /// Whether a query can say it.
    var isOfQueries: Bool {
        switch self {
        case .contentType, .contentEncoding, .ttl, .event, .preference: false
        default: true
        }
    }
}

/// A name of a parameter.
struct NtfyParameterName {
    let parameter: NtfyParameter
    /// Its place among the names of the parameter.
    let rank: Int
    private let name: [UInt8]

    /// Nil for a name that is none; case does not matter.
    init?(_ name: Span<UInt8>) {
        guard name.count < Self.byLength.count else { return nil }
        // Of header fields there are many and few are parameters, so the length decides first.
        for known in Self.byLength[name.count] where known.isEqual(name) {
            self = known
            return
        }
        return nil
    }

    private init(_ parameter: NtfyParameter, rank: Int, _ name: Substring) {
        (self.parameter, self.rank, self.name) = (parameter, rank, Array(name.utf8))
    }

    private func isEqual(_ other: Span<UInt8>) -> Bool {
        for index in other.indices where other[index].lowercased != name[index] { return false }
        return true
    }

    private static let byLength: [[NtfyParameterName]] = {
        let all = NtfyParameter.allCases.flatMap { parameter in
            parameter.names.split(separator: " ").enumerated().map {
                NtfyParameterName(parameter, rank: $0.offset, $0.element)
            }
        }
        let longest = all.map(\.name.count).max() ?? 0
        return (0...longest).map { length in all.filter { $0.name.count == length } }
    }()
}
