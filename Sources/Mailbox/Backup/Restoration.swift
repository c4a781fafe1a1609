import Crypto
import Delivery
import SQLite
package import System

/// Makes a store of a backup, in a folder that has none.
package struct Restoration: ~Copyable {
    package struct Report: Equatable, Sendable {
        package var figures: StoreFigures
        /// Devices that are not let in before somebody confirms them.
        package var unconfirmed: Int
    }

    /// Numbers up to this far above those of the backup may have been given out since.
    private static let jump: Int64 = 1 << 32
    /// Row numbers of subscriptions, devices and credentials, of which there are fewer.
    private static let rowJump: UInt32 = 1_000_000
    /// Nodes take these numbers in blocks, of which each start uses one.
    private static let sharedRowJump: UInt32 = 256 * NumberBlock.length

    private let folder: StateFolder
    private let place: String
    private let backup: BackupFile

    /// Locks the folder.
    package init(of backup: BackupFile, into path: String) throws(BackupFailure) {
        let folder = try Self.lock(path)
        let real = try BackupFailure.onFile(path) { () throws(SystemError) in
            try RealPath.of(path)
        }
        let place = real + "/" + WriterDatabase.fileName
        // Another store's WAL would be taken for one of this store.
        for ending in ["", "-wal", "-shm", "-journal"]
        where FileStamp(of: place + ending) != nil {
            throw .storeIsThere(folder: path)
        }
        self.folder = folder
        self.place = place
        self.backup = backup
    }

    private static func lock(_ path: String) throws(BackupFailure) -> StateFolder {
        do throws(StateFolder.Failure) { return try StateFolder(path) } catch {
            throw .folder(error)
        }
    }

    /// The store is whole and in its place when this returns; a failure or a kill leaves none.
    /// `former`: where the store went on after the backup. Without it, devices have to be
    /// confirmed.
    package func run(
        _ keys: BackupKeys, former: FormerStore?, at now: ClockReading, report: BackupReport
    ) throws(BackupFailure) -> Report {
        let draft = try BackupFailure.onFile(folder.path) { () throws(SystemError) in
            try DraftFile(for: place)
        }
        try fill(draft, report)
        let later = try former?.merge(
            into: draft.path, keys, beside: place + "-former", report: report)
        let result = try BackupFailure.onStore { () throws(StoreFault) in
            try Self.dropMissingFiles(draft.path, in: folder.path)
            return try Self.finish(draft.path, later, needsConfirmation: former == nil, now)
        }
        try BackupFailure.onFile(folder.path) { () throws(SystemError) in try draft.publish() }
        return result
    }

    /// Copies the database and brings it to this program's schema.
    private func fill(_ file: DraftFile, _ report: BackupReport) throws(BackupFailure) {
        try backup.copy(to: file, report: report)
        try BackupFailure.onStore { () throws(StoreFault) in
            let draft = try StoreSnapshot.draft(file.path)
            try draft.forStore { draft throws(SQLiteError) in
                try draft.execute("DROP TABLE backup")
            }
            do throws(Migration.Failure) { try draft.migrate(Schema.migrations) } catch {
                throw StoreFault(error)
            }
        }
    }

    /// A backup has no files of topics: messages keep those that are in the folder.
    private static func dropMissingFiles(_ path: String, in folder: String) throws(StoreFault) {
        let draft = try StoreSnapshot.draft(path)
        let select = try draft.statement("SELECT mark FROM topic_file")
        var missing: [FileMark] = []
        while try select.step() {
            guard let mark = select.withBytes(0, { FileMark($0) }) else { continue }
            let place = folder + "/" + TopicFiles.folderName + "/" + mark.name
            if FileStamp(of: place) == nil { missing.append(mark) }
        }
        try draft.run("BEGIN")
        for mark in missing { try draft.run("DELETE FROM topic_file WHERE mark = ?1", mark.bytes) }
        try draft.run("COMMIT")
    }

    /// Sets the counters, and marks what the server has to know. `later`: the state of the former
    /// store.
    private static func finish(
        _ path: String, _ later: StateRow.Record?, needsConfirmation: Bool, _ now: ClockReading
    ) throws(StoreFault) -> Report {
        let result = try mark(path, later, needsConfirmation, now)
        try WriterDatabase.check(path)
        return result
    }

    private static func mark(
        _ path: String, _ later: StateRow.Record?, _ needsConfirmation: Bool, _ now: ClockReading
    ) throws(StoreFault) -> Report {
        let draft = try StoreSnapshot.draft(path)
        guard let record = try StateRow.read(on: draft) else {
            throw .damaged("its state is missing")
        }
        let values = try raised(record.values, later?.values ?? record.values, draft, now)
        let until = values.anchor.time.adding(seconds: MissingEndpoints.patience)
        let latest = [until, record.restoredUntil, later?.restoredUntil].compactMap(\.self).max()
        try draft.run("BEGIN")
        try StateRow(on: draft).write(values)
        try draft.run("UPDATE state SET restored_until = ?1", latest?.milliseconds)
        try draft.run("UPDATE engine SET restored = 1")
        try draft.run("UPDATE topic_owner SET position = position + ?1", jump)
        try draft.run("DELETE FROM engine_client")
        // One of them may have been removed since, and each opens the page.
        try draft.run("DELETE FROM passkey")
        if needsConfirmation {
            try draft.run("UPDATE credential SET unconfirmed = 1")
            try draft.run(
                "UPDATE callback SET state = ?1 WHERE state = ?2 AND row IN (SELECT row FROM forward)",
                CallbackState.restored.rawValue, CallbackState.active.rawValue)
            // Nobody knows whether they were answered since.
            try draft.run("DELETE FROM question WHERE ended = 0")
        }
        try draft.run("COMMIT")
        return Report(
            figures: try BackupFile.figures(draft),
            unconfirmed: Int(
                try draft.number("SELECT count(*) FROM credential WHERE unconfirmed = 1")))
    }

    private static func raised(
        _ backup: StateRow.Values, _ later: StateRow.Values, _ draft: borrowing Connection,
        _ now: ClockReading
    ) throws(StoreFault) -> StateRow.Values {
        // The counters of a node are below the rows of others.
        let stored = try StorePlace.lastRow(backup.counters, draft)
        func row(_ counter: KeyPath<StoreIndex.Counters, UInt32>) -> UInt32 {
            guard backup.applied == 0 else {
                return min(stored + sharedRowJump, StoreIndex.lastRow)
            }
            let last = max(backup.counters[keyPath: counter], later.counters[keyPath: counter])
            return min(last + rowJump, StoreIndex.lastRow)
        }
        let anchor = backup.anchor.time < later.anchor.time ? later.anchor : backup.anchor
        let time = LastingClock(after: anchor, at: now).time(at: now)
        return StateRow.Values(
            batch: max(backup.batch, later.batch) + jump,
            position: max(backup.position, later.position) + jump,
            counters: StoreIndex.Counters(
                sequence: max(backup.counters.sequence, later.counters.sequence) + jump,
                subscription: row(\.subscription), device: row(\.device),
                credential: row(\.credential)),
            anchor: LastingClock.Anchor(time: time, reading: now))
    }
}
