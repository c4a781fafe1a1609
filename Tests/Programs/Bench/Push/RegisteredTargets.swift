import Base
import Glibc
import WebPush

/// What an application server knows of the registrations it pushes to, its own key, and what the
/// engines' clients show. They are kept in a file, because three processes prepare, serve and push.
struct RegisteredTargets {
    static func account(ofRegistration number: Int) -> String { "account\(number)" }

    struct Target {
        let path: String
        let publicKey: UncompressedPoint
        let auth: Secret
    }

    struct Unreadable: Error {}

    let signingKey: Secret
    /// The credential of the device whose clients listen.
    let bearer: Secret
    var targets: [Target] = []

    init(signingKey: Secret, bearer: Secret) {
        self.signingKey = signingKey
        self.bearer = bearer
    }

    init(file path: String) throws {
        guard let file = fopen(path, "r") else { throw Unreadable() }
        defer { fclose(file) }
        guard let secrets = Self.words(file)?.compactMap({ Base64URL.decode($0) }),
            secrets.count == 2
        else { throw Unreadable() }
        let (key, access) = (secrets[0], secrets[1])
        signingKey = Secret(key.span)
        bearer = Secret(access.span)
        while let words = Self.words(file) {
            guard words.count == 3, let point = UncompressedPoint(base64URL: words[1]),
                let auth = Base64URL.decode(words[2])
            else { throw Unreadable() }
            targets.append(
                Target(path: words[0], publicKey: point, auth: Secret(auth.span)))
        }
    }

    /// The words of the next line; nil at the end.
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
        var lines = [
            "\(signingKey.withSpan(Base64URL.text)) \(bearer.withSpan(Base64URL.text))"
        ]
        for target in targets {
            let auth = target.auth.withSpan(Base64URL.text)
            lines.append("\(target.path) \(target.publicKey.base64URL) \(auth)")
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }
}
