import Crypto
import Foundation
import TestSupport
import Testing

@testable import Mailbox

/// A store that an earlier program filled, from `Tests/Vectors/Upgrades`.
struct KeptStore: Sendable, CustomTestStringConvertible {
    /// What `tools/lib/keep_store.py` put into it.
    struct Facts: Decodable {
        struct Device: Decodable {
            let name: String
            let owner: String
            let bearer: String
        }

        struct Keys: Decodable {
            let p256dh: String
            let auth: String
        }

        struct Registration: Decodable {
            let id: String
            let endpoint: String
            let keys: Keys
        }

        struct Locked: Decodable {
            let id: String
            let secret: String
        }

        struct Signals: Decodable {
            let id: String
        }

        let devices: [Device]
        let open: String
        let bound: String
        let ended: String
        let vapid: String
        /// Bodies, nil for an encrypted one.
        let waiting: [String?]
        let fetched: [String]
        let registration: Registration?
        let locked: Locked?
        let signals: Signals?
        let schema: Int
        /// Milliseconds since 1970.
        let made: Int64
    }

    static let folder = Vectors.folder.appending(path: "Upgrades")

    let name: String
    var testDescription: String { name }

    /// In the order of their schemas.
    static var all: [KeptStore] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (names ?? []).filter { $0.hasPrefix("mailbox-") }.sorted().map(KeptStore.init)
    }

    /// Those that today's program continues, and those that it refuses.
    static var continued: [KeptStore] { all.filter { $0.schema >= Schema.first } }
    static var refused: [KeptStore] { all.filter { $0.schema < Schema.first } }

    /// As its name says.
    var schema: Int { Int(name.filter(\.isNumber)) ?? 0 }

    /// Puts its files into a folder, as the program left them.
    func unpack(to target: TemporaryFolder) throws -> Facts {
        let output = try RunningProcess(
            "/usr/bin/tar",
            ["-xzf", Self.folder.appending(path: name).path, "-C", target.path, "--no-same-owner"],
            errors: .withOutput)
        guard try output.text().isEmpty else { throw POSIXError(.EIO) }
        let folder = target.file("state")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        let data = try Data(contentsOf: URL(filePath: target.file("facts.json")))
        return try JSONDecoder().decode(Facts.self, from: data)
    }
}

extension TestStore {
    /// Opens a store of an earlier program, soon after that ended.
    convenience init(_ folder: String, _ facts: KeptStore.Facts) throws {
        let key = try Data(contentsOf: URL(filePath: folder + "/keys/master.json"))
        guard case .master(let master) = try StoredKey(json: Array(key)) else {
            throw POSIXError(.EINVAL)
        }
        try self.init { options in
            options.folder = folder
            options.masterKey = master
            // Years later, everything would have expired.
            let reading = ClockReading(
                boot: [UInt8](repeating: 1, count: 16), sinceBoot: 50_000,
                wall: facts.made + 1_000)
            options.reading = { reading }
        }
    }
}
