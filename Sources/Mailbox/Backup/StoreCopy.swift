import SQLite
import System

/// A file with what a store that follows a log contains at one moment.
package struct StoreCopy {
    package var path: String { draft.path }
    private let draft: DraftFile
    /// The last entry of the log that is in it.
    package let number: Int64

    /// Copies the store in `folder`, which may be in use. The file goes with the last use of this value.
    /// Fails when it is not wanted any more.
    package init(
        of folder: String, while isWanted: () -> Bool = { true }
    ) throws(BackupFailure) {
        let place = Self.store(in: folder) + ".copy"
        let draft = try BackupFailure.onFile(place) { () throws(SystemError) in
            try DraftFile(for: place)
        }
        self.draft = draft
        number = try Self.fill(draft.path, folder, isWanted)
    }

    /// The file of the store in `folder`.
    package static func store(in folder: String) -> String {
        folder + "/" + WriterDatabase.fileName
    }

    private static func fill(
        _ path: String, _ folder: String, _ isWanted: () -> Bool
    ) throws(BackupFailure) -> Int64 {
        let snapshot = try StoreSnapshot(of: folder)
        return try BackupFailure.onStore { () throws(StoreFault) in
            try snapshot.copy(to: path, while: isWanted) { _, _, _ in }
            return try StoreSnapshot.draft(path).number("SELECT applied FROM state")
        }
    }
}
