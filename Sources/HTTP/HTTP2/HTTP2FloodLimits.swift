/// How many frames of each kind a peer may send in a window of time.
package struct HTTP2FloodLimits: Equatable, Sendable {
    package var window = Duration.seconds(10)
    /// A sender whose patience ends gives up its hundred streams at once, and may do so again.
    package var resets = 200
    package var provokedResets = 200
    package var settings = 20
    package var pings = 100
    package var emptyFrames = 100
    /// Beyond two for each DATA frame that the peer got, and two for each stream that it opened: there
    /// are clients that open the window of each stream at once.
    package var windowUpdates = 500
    /// Beyond two for each stream that the peer opened.
    package var priorities = 100
    package var otherFrames = 50

    /// Of one header block.
    package var continuations = 4
    /// Of one header block as it is on the wire. What is beyond `HTTPLimits.headBytes` but within
    /// this is read, because the answer 431 needs a decoder that is still in step.
    package var headerBlockBytes = 64 * 1024

    package init() {}
}
