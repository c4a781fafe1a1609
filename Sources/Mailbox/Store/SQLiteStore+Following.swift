import Glibc
import SQLite

/// A store that follows a log.
extension SQLiteStore {
    package static func file(in folder: String) -> String { folder + "/" + WriterDatabase.fileName }

    /// Writes what the store contains at this moment to a file of its own, and returns the last
    /// entry of the log that is in it.
    package static func copy(in folder: String, to path: String) throws(BackupFailure) -> Int64 {
        remove(copy: path)
        let snapshot = try StoreSnapshot(of: folder)
        return try BackupFailure.onStore { () throws(StoreFault) in
            try snapshot.copy(to: path) { _, _, _ in }
            let copy = try StoreSnapshot.draft(path)
            return try copy.number("SELECT applied FROM state")
        }
    }

    package static func remove(copy path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }
}
