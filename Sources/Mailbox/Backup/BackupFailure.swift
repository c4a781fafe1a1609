package import Crypto
package import System

/// Why a backup cannot be made, read or restored.
package enum BackupFailure: Error, Equatable, CustomStringConvertible {
    case noStore(folder: String)
    /// Something is there that is no backup, and that a backup would replace.
    case exists(path: String)
    /// Another process is writing it.
    case beingWritten(path: String)
    case notABackup(path: String)
    case cut(path: String)
    /// The checksum is of other bytes.
    case changed(path: String)
    /// Whole, but not as bellwire wrote it.
    case notAuthentic(path: String)
    case laterFormat(path: String)
    case earlierFormat(path: String)
    case damaged(path: String, String)
    case wrongPassphrase(path: String)
    case needsPassphrase(path: String)
    /// A passphrase was given, and the backup has none.
    case noPassphrase(path: String)
    /// The store there was sealed under other keys than those at hand.
    case wrongKeys(path: String)
    /// The folder has a store already.
    case storeIsThere(folder: String)
    case noFormerStore(folder: String)
    /// The former store has nothing in common with the backup, or is older.
    case otherStore(folder: String)
    case formerDamaged(folder: String, String)
    case store(StoreFault)
    case folder(StateFolder.Failure)
    case system(path: String, SystemError)
    case crypto(OpenSSLError)

    package var description: String {
        switch self {
        case .noStore(let folder), .noFormerStore(let folder):
            "there is no store in \(folder)"
        case .exists(let path): "\(path) exists and is no backup"
        case .beingWritten(let path): "another process is writing \(path)"
        case .notABackup(let path): "\(path) is no backup of bellwire"
        case .cut(let path): "\(path) is cut off: its last line is missing"
        case .changed(let path): "\(path) is damaged: its checksum is wrong"
        case .notAuthentic(let path): "\(path) was changed by somebody after it was made"
        case .laterFormat(let path): "\(path) was made by a newer bellwire"
        case .earlierFormat(let path):
            "\(path) was made by an earlier bellwire, which this version does not continue"
        case .damaged(let path, let finding): "\(path) is damaged: \(finding)"
        case .wrongPassphrase(let path): "this is not the passphrase of \(path)"
        case .needsPassphrase(let path): "the master key in \(path) is sealed under a passphrase"
        case .noPassphrase(let path): "\(path) has no passphrase"
        case .wrongKeys(let path): "\(path) was sealed under another master key"
        case .storeIsThere(let folder): "\(folder) already has a store"
        case .otherStore(let folder):
            "the store in \(folder) is not the one of the backup, or is older"
        case .formerDamaged(let folder, let finding):
            "the store in \(folder) is damaged: \(finding)"
        case .store(let fault): fault.description
        case .folder(let failure): failure.description
        case .system(let path, let error): "\(path): \(error)"
        case .crypto(let error): "OpenSSL: \(error)"
        }
    }

    package var hint: String? {
        switch self {
        case .noStore: "name the server's state folder by --state"
        case .exists: "choose another name, or move it away"
        case .beingWritten: "wait until it is done"
        case .notABackup: "name a file that bellwire backup made"
        case .cut, .changed, .notAuthentic, .damaged, .earlierFormat: "use another backup"
        case .laterFormat: "install the newer version"
        case .wrongPassphrase, .needsPassphrase: "name its file by --passphrase-file"
        case .noPassphrase: "leave out --passphrase-file"
        case .wrongKeys: "put the key file that belongs to it into the server's key folder"
        case .storeIsThere: "choose an empty folder by --state, or move the files bellwire.db* away"
        case .noFormerStore: "name the folder that has the former bellwire.db"
        case .otherStore, .formerDamaged: "leave out --former, and confirm the devices"
        case .store(let fault): fault.hint
        case .folder(let failure): failure.hint
        case .system(_, let error): error.hint
        case .crypto: nil
        }
    }
}

extension BackupFailure {
    static func onFile<Result: ~Copyable>(
        _ path: String, _ body: () throws(SystemError) -> Result
    ) throws(BackupFailure) -> Result {
        do throws(SystemError) { return try body() } catch {
            throw .system(path: path, error)
        }
    }

    static func onStore<Result: ~Copyable>(
        _ body: () throws(StoreFault) -> Result
    ) throws(BackupFailure) -> Result {
        do throws(StoreFault) { return try body() } catch { throw .store(error) }
    }

    static func onCrypto<Result: ~Copyable>(
        _ body: () throws(OpenSSLError) -> Result
    ) throws(BackupFailure) -> Result {
        do throws(OpenSSLError) { return try body() } catch { throw .crypto(error) }
    }

    /// A failure of the database inside the backup.
    init(_ fault: StoreFault, path: String) {
        switch fault {
        case .wrongMasterKey: self = .wrongKeys(path: path)
        case .damaged(let finding): self = .damaged(path: path, finding)
        case .newerSchema: self = .laterFormat(path: path)
        case .earlierSchema: self = .earlierFormat(path: path)
        default: self = .store(fault)
        }
    }
}

/// How far a backup or a restore has got.
package enum BackupStep: String, Sendable {
    case checking
    case copying
}

/// Gets what is done of a step, and all that there is to do.
package typealias BackupReport = (_ step: BackupStep, _ done: Int, _ total: Int) -> Void
