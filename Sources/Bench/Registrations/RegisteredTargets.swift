import Base
import Crypto
import Glibc
import WebPush

/// What an application server knows of the registrations to which it pushes, and its own key: in a
/// file, because who makes them, who serves them and who pushes are three processes.
struct RegisteredTargets {
    struct Target {
        let path: String
        let publicKey: UncompressedPoint
        let auth: Secret
    }

    struct Unreadable: Error {}

    let signingKey: Secret
    var targets: [Target] = []

    init(signingKey: Secret) { self.signingKey = signingKey }

    init(file path: String) throws {
        guard let file = fopen(path, "r") else { throw Unreadable() }
        defer { fclose(file) }
        guard let key = Self.words(file).flatMap({ Base64URL.decode($0[0]) }) else {
            throw Unreadable()
        }
        signingKey = Secret(key.span)
        while let words = Self.words(file) {
            guard words.count == 3, let point = UncompressedPoint(base64URL: words[1]),
                let auth = Base64URL.decode(words[2])
            else { throw Unreadable() }
            targets.append(
                Target(path: words[0], publicKey: point, auth: Secret(auth.span)))
        }
    }

    /// Of the next line; nil at the end.
    private static func words(_ file: UnsafeMutablePointer<FILE>) -> [String]? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1_024) { line in
            guard fgets(line.baseAddress, 1_024, file) != nil, let start = line.baseAddress else {
                return nil
            }
            let words = String(cString: start).split { $0 == " " || $0 == "\n" }
            return words.isEmpty ? nil : words.map(String.init)
        }
    }

    var text: [UInt8] {
        var lines = [signingKey.withSpan(Base64URL.text)]
        for target in targets {
            let auth = target.auth.withSpan(Base64URL.text)
            lines.append("\(target.path) \(target.publicKey.base64URL) \(auth)")
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }
}
