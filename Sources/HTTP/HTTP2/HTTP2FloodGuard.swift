/// Counts frames of a peer and reports when there are too many.
///
/// It is a pure value: the time is passed in. Windows do not overlap, so at most twice the limit
/// can pass in a period as long as a window.
package struct HTTP2FloodGuard: Sendable {
    private var counts = InlineArray<9, UInt32>(repeating: 0)
    private var windowStart: Duration
    private var openedStreams = 0
    private var sentDataFrames = 0
    private var lastStream: HTTP2StreamID = 0

    private var continuations = 0
    private var headerBlockBytes = 0

    private let limits: HTTP2FloodLimits

    package init(limits: HTTP2FloodLimits = HTTP2FloodLimits(), at now: Duration) {
        self.limits = limits
        windowStart = now
    }

    /// Call it at the start of a frame.
    mutating func received(
        _ frame: HTTP2FrameHeader, at now: Duration
    ) throws(HTTP2Flood) {
        advance(to: now)
        switch frame.kind {
        case HTTP2FrameHeader.Kind.data: break
        case HTTP2FrameHeader.Kind.headers:
            beginHeaderBlock(frame)
        case HTTP2FrameHeader.Kind.continuation:
            try continueHeaderBlock(frame)
        case HTTP2FrameHeader.Kind.reset: try count(.resets)
        case HTTP2FrameHeader.Kind.settings: try count(.settings)
        case HTTP2FrameHeader.Kind.ping: try count(.pings)
        case HTTP2FrameHeader.Kind.windowUpdate: try count(.windowUpdates)
        case HTTP2FrameHeader.Kind.priority, HTTP2FrameHeader.Kind.priorityUpdate:
            try count(.priorities)
        default: try count(.otherFrames)
        }
    }

    /// A frame that may carry something ended without carrying anything.
    mutating func receivedNothing(at now: Duration) throws(HTTP2Flood) {
        advance(to: now)
        try count(.emptyFrames)
    }

    /// We reset a stream because of what its peer did.
    mutating func resetStream(at now: Duration) throws(HTTP2Flood) {
        advance(to: now)
        try count(.provokedResets)
    }

    /// The peer may answer it with frames of its own.
    mutating func sentDataFrame() { sentDataFrames += 1 }

    private mutating func beginHeaderBlock(_ frame: HTTP2FrameHeader) {
        continuations = 0
        headerBlockBytes = frame.length
        if frame.stream > lastStream {
            lastStream = frame.stream
            openedStreams += 1
        }
    }

    private mutating func continueHeaderBlock(_ frame: HTTP2FrameHeader) throws(HTTP2Flood) {
        continuations += 1
        headerBlockBytes += frame.length
        guard continuations <= limits.continuations,
            headerBlockBytes <= limits.headerBlockBytes
        else { throw .continuations }
    }

    private mutating func advance(to now: Duration) {
        guard now - windowStart >= limits.window else { return }
        windowStart = now
        counts = InlineArray(repeating: 0)
        openedStreams = 0
        sentDataFrames = 0
    }

    private mutating func count(_ flood: HTTP2Flood) throws(HTTP2Flood) {
        let (index, limit) = place(of: flood)
        counts[index] += 1
        guard counts[index] <= limit else { throw flood }
    }

    private func place(of flood: HTTP2Flood) -> (index: Int, limit: Int) {
        switch flood {
        case .resets: (0, limits.resets)
        case .provokedResets: (1, limits.provokedResets)
        case .continuations: (2, limits.continuations)
        case .settings: (3, limits.settings)
        case .pings: (4, limits.pings)
        case .emptyFrames: (5, limits.emptyFrames)
        case .windowUpdates: (6, limits.windowUpdates + 2 * (sentDataFrames + openedStreams))
        case .priorities: (7, limits.priorities + 2 * openedStreams)
        case .otherFrames: (8, limits.otherFrames)
        }
    }
}

/// What a peer could send without end and without asking for anything.
///
/// The raw value is the name in logs and metrics.
package enum HTTP2Flood: String, Error, Sendable, CaseIterable {
    /// Requests that are cancelled at once (CVE-2023-44487).
    case resets
    /// Streams that we have to refuse or reset because of what was sent on them.
    case provokedResets = "provoked-resets"
    /// A header block that never ends (CVE-2024-28182).
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

/// How many frames of each kind a peer may send per window.
package struct HTTP2FloodLimits: Equatable, Sendable {
    package var window = Duration.seconds(10)
    /// A sender that gives up cancels its hundred streams at once, and may do so again.
    package var resets = 200
    package var provokedResets = 200
    package var settings = 20
    package var pings = 100
    package var emptyFrames = 100
    /// A peer may send two more for each DATA frame sent to it and for each stream that it opened,
    /// because some clients enlarge the window of every stream at once.
    package var windowUpdates = 500
    /// A peer may send two more for each stream that it opened.
    package var priorities = 100
    package var otherFrames = 50

    /// The limit for one header block.
    package var continuations = 4
    /// The limit for one header block on the wire. A block that is over `HTTPLimits.headBytes` but
    /// within this limit is still read: to answer 431 and go on, the decoder has to see every
    /// block.
    package var headerBlockBytes = 64 * 1024

    package init() {}
}
