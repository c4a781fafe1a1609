/// How long an HTTP/1.1 connection waits for what, and how many requests it takes.
package struct HTTP1Patience: Equatable, Sendable {
    /// From the opening, or the last answer, to the first byte of a request.
    package var idle = Duration.seconds(75)
    /// From the first byte of a request to its empty line.
    package var head = Duration.seconds(10)
    /// From the empty line to the last byte of the body.
    package var body = Duration.seconds(30)
    package var requestCount = 10_000

    /// What a refused sender may still send before its connection is cut.
    package var lingering = Duration.seconds(2)
    package var lingeringBytes = 64 * 1024

    package init() {}
}
