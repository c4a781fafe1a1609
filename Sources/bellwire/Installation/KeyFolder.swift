import Configuration
import Crypto
import Mailbox
import System

/// Where the keys of a server are found, and made when there are none yet.
struct KeyFolder {
    private static let masterName = "master.json"
    /// The key before, while something may still be sealed under it.
    private static let formerName = "master-former.json"
    /// The desktop's store has a key of its own, which stays when the other is replaced.
    private static let desktopName = "desktop-master.json"

    /// Where something can be made; credentials of systemd can only be read.
    let writable: String
    private let readable: [String]
    private let state: String

    /// Makes the folder if it is missing.
    init(_ configuration: ServerConfiguration) throws {
        self.init(places: configuration)
        try PrivateFolder.make(writable)
    }

    private init(places configuration: ServerConfiguration) {
        let credentials = Environment["CREDENTIALS_DIRECTORY"]
        writable =
            credentials == configuration.keys ? configuration.state + "/keys" : configuration.keys
        readable = [credentials].compactMap(\.self) + [writable]
        state = configuration.state
    }

    /// What a start would find, without making anything.
    static func check(_ configuration: ServerConfiguration) throws {
        let folder = KeyFolder(places: configuration)
        if FileStamp(of: folder.writable) != nil { try PrivateFolder.check(folder.writable) }
        let key = try folder.foundMasterKey()
        guard key != nil || !SQLiteStore.isThere(in: folder.state) else { throw folder.missing }
    }

    /// The first there is; made if the store has not been sealed under one that is lost.
    func masterKey(_ log: Log) throws -> MasterKey {
        if let key = try foundMasterKey() { return key }
        guard !SQLiteStore.isThere(in: state) else { throw missing }
        let path = writable + "/" + Self.masterName
        let key = try MasterKey.generate()
        let json = try StoredKey.master(key).json()
        try KeyFile.create(path, json.span)
        log.write(
            .warning, "master-key-made",
            [("file", path), ("advice", "keep a copy elsewhere; without it the store is lost")])
        return key
    }

    /// The key of the desktop's store; made if there is neither.
    func desktopKey(storeIsThere: Bool) throws -> MasterKey {
        if let key = try found(Self.desktopName) { return key }
        let path = writable + "/" + Self.desktopName
        guard !storeIsThere else {
            throw CommandError(
                message: "the key \(path) of the desktop is missing",
                hint: "put it back, or start anew by removing \(state)/desktop")
        }
        let key = try MasterKey.generate()
        let json = try StoredKey.master(key).json()
        try KeyFile.create(path, json.span)
        return key
    }

    private func foundMasterKey() throws -> MasterKey? { try found(Self.masterName) }

    /// Nil where there is none.
    private func found(_ name: String) throws -> MasterKey? {
        let paths = readable.map { $0 + "/" + name }
        guard let path = paths.first(where: { FileStamp(of: $0) != nil }) else { return nil }
        guard case .master(let key) = try Command.storedKey(at: path) else {
            throw CommandError(
                message: "\(path) is no master key", hint: "bellwire keys new master FILE")
        }
        return key
    }

    private var missing: CommandError {
        CommandError(
            message: "the master key \(writable)/\(Self.masterName) is missing",
            hint: "put back the key file or credential that belongs to \(state)")
    }

    var formerPath: String { writable + "/" + Self.formerName }

    /// Nil unless a rotation has not come to its end.
    func formerMasterKey() throws -> MasterKey? {
        let path = formerPath
        guard FileStamp(of: path) != nil else { return nil }
        guard case .master(let key) = try Command.storedKey(at: path) else {
            throw CommandError(message: "\(path) is no master key")
        }
        return key
    }

    /// A new master key, on the disk beside the one before. Whenever this is cut short, what is
    /// there opens everything.
    func rotateMasterKey() throws -> MasterKey {
        let path = writable + "/" + Self.masterName
        guard let current = try foundMasterKey(), FileStamp(of: path) != nil,
            readable.first(where: { FileStamp(of: $0 + "/" + Self.masterName) != nil }) == writable
        else {
            throw CommandError(
                message: "the master key is a credential of systemd, which cannot be replaced here")
        }
        guard try formerMasterKey() == nil else {
            throw CommandError(message: "the rotation before has not come to its end")
        }
        let former = try StoredKey.master(current).json()
        try KeyFile.create(formerPath, former.span)
        let key = try MasterKey.generate()
        let json = try StoredKey.master(key).json()
        try AtomicFile.replace(path, with: json.span, mode: 0o600)
        return key
    }

    /// Nothing is sealed under it any more.
    func dropFormerMasterKey() throws {
        try KeyFile.remove(formerPath)
    }
}
