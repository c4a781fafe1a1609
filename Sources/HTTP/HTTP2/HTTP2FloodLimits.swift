/// How many frames of each kind a peer may send per window.
package struct HTTP2FloodLimits: Equatable, Sendable {
    package var window = Duration.seconds(10)
    /// A sender that gives up cancels its hundred streams at once, and may do so again.
    package var resets = 200
    package var provokedResets = 200
    package var settings = 20
    package var pings = 100
    package var emptyFrames = 100
    /// In addition to two for each DATA frame sent to the peer and two for each stream it opened:
    /// some clients enlarge the window of every stream at once.
    package var windowUpdates = 500
    /// In addition to two for each stream that the peer opened.
    package var priorities = 100
    package var otherFrames = 50

    /// Of one header block.
    package var continuations = 4
    /// Of one header block on the wire. A block over `HTTPLimits.headBytes` but within this is
    /// still read, because answering 431 needs a decoder that is in step.
    package var headerBlockBytes = 64 * 1024

    package init() {}
}
