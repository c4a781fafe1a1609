/// Handles a connection that carries lines instead of HTTP. All calls come on the loop of the
/// connection, which keeps the handler alive until `closed`.
package protocol LineHandler: AnyObject {
    func opened(_ connection: LineConnection)

    /// A complete line without its end. The bytes are valid during the call.
    func received(line: Span<UInt8>, on connection: LineConnection)

    /// The last call; it comes once.
    func closed(_ connection: LineConnection)
}
