import Base
import System

/// An address as a QR code, for the camera of a phone.
enum CodePicture {
    /// White on black, whatever the colors of the terminal. Empty for an address that is too long.
    static func text(of url: String) -> String {
        guard let code = QRCode(Array(url.utf8)) else { return "" }
        guard StandardOutput.isTerminal else { return code.text }
        return code.text.split(separator: "\n").map { "\u{1B}[97;40m\($0)\u{1B}[0m\n" }.joined()
    }
}
