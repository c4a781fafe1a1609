/// How much a peer may send before it is refused.
package struct HTTPLimits: Equatable, Sendable {
    /// Longer ones are 414.
    package var targetBytes = 8 * 1024
    /// From the first byte of a request to its empty line; more is 431.
    package var headBytes = 16 * 1024
    package var fieldCount = 100
    /// What a body may hold where the route says nothing else; more is 413.
    package var bodyBytes = 64 * 1024
    /// All chunk extensions of one message together.
    package var chunkExtensionBytes = 1024
    /// The whole trailer section of one message.
    package var trailerBytes = 4 * 1024

    package init() {}
}
