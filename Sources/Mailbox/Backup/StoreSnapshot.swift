package import Base
package import Crypto
import SQLite
import System

/// One moment of a store, for a backup. The server may go on writing; nothing is written to its
/// database.
package struct StoreSnapshot: ~Copyable {
    /// What to put into the backup besides the store.
    package struct Terms: Sendable {
        package enum Protection: Sendable {
            case clear(BackupKeys)
            case passphrase(Secret, BackupKeys, PassphraseSeal.Cost = .usual)
            /// The keys authenticate the backup, and are not in it.
            case none(BackupKeys)

            fileprivate var keys: BackupKeys {
                switch self {
                case .clear(let keys), .passphrase(_, let keys, _), .none(let keys): keys
                }
            }
        }

        let protection: Protection
        let made: Int64
        let program: String

        /// `made` in milliseconds since 1970.
        package init(_ protection: Protection, made: Int64, program: String) {
            (self.protection, self.made, self.program) = (protection, made, program)
        }
    }

    private let connection: Connection

    /// The moment is when this returns. Keys that were read just before and just after it open
    /// everything, even if a rotation began or ended at that moment.
    package init(of folder: String) throws(BackupFailure) {
        guard SQLiteStore.isThere(in: folder) else { throw .noStore(folder: folder) }
        let real = try BackupFailure.onFile(folder) { () throws(SystemError) in
            try RealPath.of(folder)
        }
        connection = try Self.connect(real + "/" + WriterDatabase.fileName)
    }

    private static func connect(_ path: String) throws(BackupFailure) -> Connection {
        do throws(SQLiteError) {
            let connection = try Connection(path, .readOnly)
            try connection.beginReading()
            return connection
        } catch { throw .store(StoreFault(error)) }
    }

    /// Writes the backup. It is whole and on the disk when this returns; a failure or a kill leaves
    /// what was there before.
    package func write(
        to path: String, _ terms: Terms, report: BackupReport
    ) throws(BackupFailure) -> StoreFigures {
        try BackupFile.checkReplaceable(path)
        let draft: DraftFile
        do throws(SystemError) {
            draft = try DraftFile(for: try RealPath.ofFile(path))
        } catch {
            throw error.isLocked ? .beingWritten(path: path) : .system(path: path, error)
        }
        let (own, figures) = try fill(draft.path, terms, report)
        let digest = try BackupFile.digest(of: draft.path, report: report)
        let code = try BackupFailure.onCrypto { () throws(OpenSSLError) in
            try BackupSeal.code(of: digest, under: own)
        }
        let line = BackupSeal(digest, code: code).line
        try BackupFailure.onFile(path) { () throws(SystemError) in
            try draft.append(line.span)
            try draft.publish()
        }
        return figures
    }

    /// Copies the store, adds the header and checks the result.
    private func fill(
        _ path: String, _ terms: Terms, _ report: BackupReport
    ) throws(BackupFailure) -> (keys: OwnKeys, figures: StoreFigures) {
        let header = try Self.header(terms)
        try BackupFailure.onStore { () throws(StoreFault) in
            try copy(to: path, report)
            let draft = try Self.draft(path)
            #if PLANTED
                if PlantedMistake.backupMissesNewest.isMade {
                    try draft.run(
                        """
                        DELETE FROM message
                        WHERE position > (SELECT max(position) FROM message) - 50
                        """)
                }
            #endif
            try header.write(on: draft)
        }
        return try BackupFailure.onStore { () throws(StoreFault) in
            try WriterDatabase.check(path, further: [BackupHeader.table])
            let written = try BackupFile.connect(path)
            return (
                try StoredSeals.check(written, terms.protection.keys),
                try BackupFile.figures(written)
            )
        }
    }

    func copy(
        to path: String, while isWanted: () -> Bool = { true }, _ report: BackupReport
    ) throws(StoreFault) {
        let draft = try Self.draft(path)
        try connection.forStore { connection throws(SQLiteError) in
            try connection.copy(into: draft, while: isWanted) { report(.copying, $0, $1) }
        }
    }

    static func draft(_ path: String) throws(StoreFault) -> Connection {
        do throws(SQLiteError) { return try Connection(path, .draft) } catch {
            throw StoreFault(error)
        }
    }

    private static func header(_ terms: Terms) throws(BackupFailure) -> BackupHeader {
        let (protection, keys): (BackupHeader.Protection, [UInt8])
        switch terms.protection {
        case .none: (protection, keys) = (.none, [])
        case .clear(let known):
            (protection, keys) = (.clear, known.bytes.withSpan { $0.array($0.indices) })
        case .passphrase(let passphrase, let known, let cost):
            protection = .passphrase
            keys = try BackupFailure.onCrypto { () throws(OpenSSLError) in
                try PassphraseSeal.seal(known.bytes, under: passphrase, cost)
            }
        }
        return BackupHeader(
            made: terms.made, program: terms.program, protection: protection, keys: keys)
    }
}

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
