import Base
import System

/// The passphrase of a backup, which is only ever read from a file.
enum Passphrase {
    private static let shortest = 8

    /// Nil if none is named.
    static func read(_ arguments: Arguments) throws -> Secret? {
        guard let path = arguments["passphrase-file"] else { return nil }
        var bytes = try KeyFile.read(path)
        while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") {
            bytes.removeLast()
        }
        guard bytes.count >= shortest else {
            throw CommandError.usage(
                "the passphrase in \(path) is shorter than \(shortest) characters",
                hint: "choose several words")
        }
        return Secret(bytes.span)
    }
}
