/// How much a peer may send before it is refused.
package struct HTTPLimits: Equatable, Sendable {
    /// A longer target is answered with 414.
    package var targetBytes = 8 * 1024
    /// The most bytes from the start of a request to its empty line; more is answered with 431.
    package var headBytes = 16 * 1024
    package var fieldCount = 100
    /// The most bytes of a body if the route sets no other limit; more is answered with 413.
    package var bodyBytes = 64 * 1024
    /// All chunk extensions of one message together.
    package var chunkExtensionBytes = 1024
    /// The whole trailer section of one message.
    package var trailerBytes = 4 * 1024

    package init() {}
}
