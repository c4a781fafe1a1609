/// How long an HTTP/2 connection waits.
package struct HTTP2Patience: Equatable, Sendable {
    /// From the end of the last stream to the first byte of the next head.
    package var idle = Duration.seconds(75)
    /// From the end of the last stream until memory that only busy connections need is freed.
    package var rest = Duration.seconds(1)
    /// For the preface, and from the first byte of a head to its last.
    package var head = Duration.seconds(10)
    /// From the end of a head to the end of its body.
    package var body = Duration.seconds(30)
    /// From the start of an answer until the peer has taken all of it.
    package var answer = Duration.seconds(60)
    /// Between announcing that the server stops and refusing streams: some may be on their way.
    package var notice = Duration.seconds(1)

    /// For the rest of a request that was answered early, and for what the peer of a failed
    /// connection still sends.
    package var lingering = Duration.seconds(2)

    package init() {}
}
