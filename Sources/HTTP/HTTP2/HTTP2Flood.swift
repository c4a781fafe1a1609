/// What a peer can send without end and without asking for anything.
///
/// The raw value is the word that logs and counters use.
package enum HTTP2Flood: String, Error, Sendable, CaseIterable {
    /// Requests that are given up at once (CVE-2023-44487).
    case resets
    /// Streams that we have to refuse or to reset because of what was sent on them.
    case provokedResets = "provoked-resets"
    /// A header block without end (CVE-2024-28182).
    case continuations
    case settings
    case pings
    /// Frames that carry nothing.
    case emptyFrames = "empty-frames"
    case windowUpdates = "window-updates"
    case priorities
    /// Frames that a server has no use for.
    case otherFrames = "other-frames"
}
