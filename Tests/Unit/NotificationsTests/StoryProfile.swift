import Testing

/// The actions of random stories; an action listed more often happens more often.
enum StoryProfile: String, CaseIterable, CustomTestStringConvertible {
    case mixed, dates, groups, options, settings, reading, restarts, contents
    case oddValues = "odd values"

    var testDescription: String { rawValue }

    enum Action: CaseIterable {
        case text, dated, mention, pin, edit, content, scheduled, odd
        case dismiss, dismissGroup, delete, deleteAhead, read, readGroup, view, choose
        case size, count, dropIDs, mute, mentions, pins, scope, wait, restart
    }

    var actions: [Action] {
        switch self {
        case .mixed: Action.allCases + [.text, .text, .mention]
        case .dates: [.dated, .dated, .dated, .dismiss, .delete, .size, .mention, .restart]
        case .groups:
            [.text, .text, .mention, .pin, .dismiss, .dismissGroup, .delete, .size, .count, .wait]
        case .options:
            [.text, .text, .mention, .count, .size, .dropIDs, .scheduled, .delete, .edit, .restart]
        case .settings:
            [.text, .mention, .pin, .mute, .mentions, .pins, .scope, .dismiss, .wait, .restart]
        case .reading:
            [.text, .text, .mention, .pin, .read, .readGroup, .view, .choose, .wait, .restart]
        case .restarts:
            [
                .text, .mention, .pin, .edit, .dismiss, .delete, .deleteAhead, .read, .mute, .count,
                .restart, .restart,
            ]
        case .contents: [.content, .content, .content, .pin, .edit, .dismiss, .restart]
        case .oddValues: [.odd, .odd, .odd, .text, .mention, .size, .restart]
        }
    }
}
