import Base
import SQLite
import System

/// The folder in which the store went on after a backup was made. What ended there since must not
/// come back.
///
/// It is only read. Rows have the same numbers there, because no number is ever used twice.
package struct FormerStore: Sendable {
    private let folder: String

    /// Fails while a server uses it.
    package init(_ folder: String) throws(BackupFailure) {
        guard SQLiteStore.isThere(in: folder) else { throw .noFormerStore(folder: folder) }
        guard !StateFolder.isInUse(folder) else { throw .folder(.inUse(path: folder)) }
        self.folder = folder
    }

    /// Ends in the draft what has ended there, and returns the state there. It works on a copy
    /// beside `place`, which is removed.
    func merge(
        into path: String, _ keys: BackupKeys, beside place: String, report: BackupReport
    ) throws(BackupFailure) -> StateRow.Record {
        let copy = try BackupFailure.onFile(place) { () throws(SystemError) in
            try DraftFile(for: place)
        }
        defer { withExtendedLifetime(copy) {} }
        let snapshot = try StoreSnapshot(of: folder)
        do throws(StoreFault) {
            try snapshot.copy(to: copy.path, report)
            return try merge(copy.path, into: path, keys)
        } catch {
            switch error {
            case .damaged(let finding): throw .formerDamaged(folder: folder, finding)
            case .wrongMasterKey: throw .otherStore(folder: folder)
            default: throw .store(error)
            }
        }
    }

    private func merge(
        _ copy: String, into path: String, _ keys: BackupKeys
    ) throws(StoreFault) -> StateRow.Record {
        let state = try Self.prepare(copy)
        let draft = try StoreSnapshot.draft(path)
        try draft.run("ATTACH ?1 AS former", copy)
        guard try draft.number(FormerMerge.isSameStore) == 1 else { throw .wrongMasterKey }
        try draft.forStore { draft throws(SQLiteError) in
            try draft.transaction { () throws(SQLiteError) in
                for sql in FormerMerge.endings {
                    if PlantedMistake.restoreForgetsEnded.isMade,
                        sql.hasPrefix("INSERT INTO main.ended_endpoint")
                    {
                        continue
                    }
                    try draft.execute(sql)
                }
                for sql in FormerMerge.changes(openedBy: keys) { try draft.execute(sql) }
            }
        }
        return state
    }

    /// Checks the copy and brings it to this program's schema. Returns its state.
    private static func prepare(_ path: String) throws(StoreFault) -> StateRow.Record {
        try WriterDatabase.check(path)
        let connection = try StoreSnapshot.draft(path)
        do throws(Migration.Failure) { try connection.migrate(Schema.migrations) } catch {
            throw StoreFault(error)
        }
        guard let state = try StateRow.read(on: connection) else {
            throw .damaged("its state is missing")
        }
        return state
    }
}
