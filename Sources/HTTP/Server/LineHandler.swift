/// What an application does with a connection on which lines are spoken instead of HTTP. All calls
/// come on the loop of the connection, which holds its handler until it has said `closed`.
package protocol LineHandler: AnyObject {
    func opened(_ connection: LineConnection)

    /// A whole line, without its end. The bytes are lent until the call ends.
    func received(line: Span<UInt8>, on connection: LineConnection)

    /// Once, and the last call.
    func closed(_ connection: LineConnection)
}
