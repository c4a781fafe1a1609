import Configuration
import Crypto
import Mailbox
import System

/// Finds the keys of a server, and makes missing ones.
struct KeyFolder {
    private static let masterName = "master.json"
    /// The previous key, while something may still be sealed under it.
    private static let formerName = "master-former.json"
    /// The next key of a cluster, which each node has before anybody uses it.
    private static let nextName = "master-next.json"
    /// The desktop's store has its own key, which a rotation does not replace.
    private static let desktopName = "desktop-master.json"

    /// Where new keys go; systemd credentials are read-only.
    let writable: String
    private let readable: [String]
    private let state: String

    /// Makes the folder if it is missing.
    init(_ configuration: ServerConfiguration) throws {
        self.init(places: configuration)
        try PrivateFolder.make(writable)
    }

    private init(places configuration: ServerConfiguration) {
        writable = configuration.ownKeys
        readable = [Environment["CREDENTIALS_DIRECTORY"], writable].compactMap(\.self)
        state = configuration.state
    }

    /// Checks what a start would find, without making anything.
    static func check(_ configuration: ServerConfiguration) throws {
        let folder = KeyFolder(places: configuration)
        if FileStamp(of: folder.writable) != nil { try PrivateFolder.check(folder.writable) }
        let isThere = try folder.foundMasterKey() != nil
        guard isThere || !SQLiteStore.isThere(in: folder.state) else { throw folder.missing }
    }

    private static func masterKey(at path: String) throws -> MasterKey? {
        guard FileStamp(of: path) != nil else { return nil }
        guard case .master(let key) = try Command.storedKey(at: path) else {
            throw CommandError(
                message: "\(path) is not a master key",
                hint: "make one with: bellwire keys new master FILE")
        }
        return key
    }

    /// The first key found. Makes one only if there is no store, which a lost key may have sealed.
    func masterKey(_ log: Log) throws -> MasterKey {
        if let key = try foundMasterKey() { return key }
        guard !SQLiteStore.isThere(in: state) else { throw missing }
        let path = writable + "/" + Self.masterName
        let key = try MasterKey.generate()
        let json = try StoredKey.master(key).json()
        try KeyFile.create(path, json.span)
        log.write(
            .warning, "master-key-made",
            [
                ("file", path),
                ("advice", "keep a copy elsewhere; without this key the store cannot be read"),
            ])
        return key
    }

    /// The key of the desktop's store; made if there is neither key nor store.
    func desktopKey(storeIsThere: Bool) throws -> MasterKey {
        if let key = try found(Self.desktopName) { return key }
        let path = writable + "/" + Self.desktopName
        guard !storeIsThere else {
            throw CommandError(
                message: "the desktop's key \(path) is missing",
                hint: "put it back, or remove \(state)/desktop to start over")
        }
        let key = try MasterKey.generate()
        let json = try StoredKey.master(key).json()
        try KeyFile.create(path, json.span)
        return key
    }

    /// The master keys as they are now, the current one first. Nothing is made.
    static func masterKeys(_ configuration: ServerConfiguration) throws -> [MasterKey] {
        let folder = KeyFolder(places: configuration)
        if FileStamp(of: folder.writable) != nil { try PrivateFolder.check(folder.writable) }
        let keys = try folder.clusterKeys()
        guard !keys.isEmpty else { throw folder.missing }
        return keys
    }

    /// The file of the current master key.
    static func masterPath(_ configuration: ServerConfiguration) throws -> String {
        let folder = KeyFolder(places: configuration)
        let paths = folder.readable.map { $0 + "/" + masterName }
        guard let path = paths.first(where: { FileStamp(of: $0) != nil }) else {
            throw folder.missing
        }
        return path
    }

    /// All keys under which a cluster may seal. The cluster says which of them counts.
    func clusterKeys() throws -> [MasterKey] {
        try [Self.masterName, Self.nextName, Self.formerName].compactMap { try found($0) }
    }

    /// Nil unless a change of the cluster's key is prepared.
    func nextMasterKey() throws -> MasterKey? { try found(Self.nextName) }

    /// Puts the keys of a restored store where a start looks for them. Keys that are there already
    /// stay; other ones are not replaced.
    func place(_ keys: BackupKeys) throws {
        let former = keys.former.first
        let isOther =
            try foundMasterKey().map { $0.id != keys.master.id } ?? false
            || formerMasterKey().map { $0.id != former?.id } ?? false
        guard !isOther else {
            throw CommandError(
                message: "there is another master key in \(writable)",
                hint: "move it away, or choose another folder by --keys")
        }
        // The current key comes last, so that an interrupted restore does it again.
        for (key, name) in [(former, Self.formerName), (keys.master, Self.masterName)] {
            guard let key, try found(name) == nil else { continue }
            let json = try StoredKey.master(key).json()
            try KeyFile.create(writable + "/" + name, json.span)
        }
    }

    private func foundMasterKey() throws -> MasterKey? { try found(Self.masterName) }

    private func found(_ name: String) throws -> MasterKey? {
        let paths = readable.map { $0 + "/" + name }
        guard let path = paths.first(where: { FileStamp(of: $0) != nil }) else { return nil }
        return try Self.masterKey(at: path)
    }

    var missing: CommandError {
        CommandError(
            message: "the master key \(writable)/\(Self.masterName) is missing",
            hint: """
                restore the key file or credential that belongs to \(state), or name its folder by \
                --keys
                """)
    }

    var formerPath: String { writable + "/" + Self.formerName }

    /// Nil unless a rotation has not finished.
    func formerMasterKey() throws -> MasterKey? {
        try Self.masterKey(at: formerPath)
    }

    /// Writes a new master key and keeps the previous one beside it. After a crash at any point,
    /// the keys on the disk open everything.
    func rotateMasterKey() throws -> MasterKey {
        let path = writable + "/" + Self.masterName
        guard let current = try foundMasterKey(), FileStamp(of: path) != nil,
            readable.first(where: { FileStamp(of: $0 + "/" + Self.masterName) != nil }) == writable
        else {
            throw CommandError(
                message: "the master key is a systemd credential, which only systemd can replace")
        }
        guard try formerMasterKey() == nil else {
            throw CommandError(message: "the previous rotation has not finished")
        }
        let former = try StoredKey.master(current).json()
        try KeyFile.create(formerPath, former.span)
        let key = try MasterKey.generate()
        let json = try StoredKey.master(key).json()
        try AtomicFile.replace(path, with: json.span, mode: 0o600)
        return key
    }

    /// Call it when nothing is sealed under the previous key any more.
    func dropFormerMasterKey() throws {
        try KeyFile.remove(formerPath)
    }
}
