package import Base
import Crypto
import SQLite
import System

/// A backup that was read to its end and is whole.
///
/// It is a database of SQLite, with a line after its end. Everything in the store is in it as it
/// was, so that it can be looked into with other tools.
package struct BackupFile: Sendable {
    package let header: BackupHeader
    package let figures: StoreFigures
    package let bytes: Int
    private let seal: BackupSeal
    private let digest: Digest
    /// As it was given, and without links.
    private let path: String
    private let realPath: String

    private static let pieceLength = 1 << 20
    private static let databaseStart = Array("SQLite format 3\0".utf8)

    /// Checks everything that can be checked without keys.
    package init(_ path: String, report: BackupReport) throws(BackupFailure) {
        let realPath = try BackupFailure.onFile(path) { () throws(SystemError) in
            try RealPath.of(path)
        }
        let isDatabase = try Self.startsLikeADatabase(realPath)
        let (line, size) = try Self.lastLine(of: realPath)
        guard let seal = BackupSeal(line: line) else {
            throw isDatabase ? .cut(path: path) : .notABackup(path: path)
        }
        digest = try Self.digest(of: realPath, isSealed: true, report: report)
        guard seal.isOf(digest) else { throw .changed(path: path) }
        (self.path, self.realPath, self.seal, bytes) = (path, realPath, seal, size)
        do throws(StoreFault) {
            (header, figures) = try Self.content(realPath)
        } catch { throw BackupFailure(error, path: path) }
    }

    private static func content(
        _ realPath: String
    ) throws(StoreFault) -> (BackupHeader, StoreFigures) {
        let connection = try connect(realPath)
        switch try BackupHeader.read(on: connection) {
        case .none: throw .damaged("it says nothing about itself")
        case .earlierFormat: throw .earlierSchema
        case .laterFormat: throw .newerSchema(found: 0, known: 0)
        case .header(let header):
            try WriterDatabase.check(
                realPath, further: [BackupHeader.table], pages: .thorough)
            return (header, try figures(connection))
        }
    }

    static func connect(_ realPath: String) throws(StoreFault) -> Connection {
        do throws(SQLiteError) { return try Connection(realPath, .readOnly) } catch {
            throw StoreFault(error)
        }
    }

    static func figures(
        _ connection: borrowing Connection
    ) throws(StoreFault) -> StoreFigures {
        StoreFigures(
            devices: Int(try connection.number("SELECT count(*) FROM credential")),
            endpoints: Int(try connection.number("SELECT count(*) FROM subscription")),
            messages: Int(try connection.number("SELECT count(*) FROM message")),
            kept: try StoreFigures.kept(connection))
    }
}

/// Keys.
extension BackupFile {
    /// The master keys in the backup; nil if it has none.
    package func keys(_ passphrase: Secret?) throws(BackupFailure) -> BackupKeys? {
        if passphrase != nil, header.protection != .passphrase {
            throw .noPassphrase(path: path)
        }
        let bytes: Secret
        switch (header.protection, passphrase) {
        case (.none, _): return nil
        case (.clear, _): bytes = Secret(header.keys.span)
        case (.passphrase, nil): throw .needsPassphrase(path: path)
        case (.passphrase, let passphrase?): bytes = try unsealed(passphrase)
        }
        let keys = try BackupFailure.onCrypto { () throws(OpenSSLError) in
            try BackupKeys(bytes: bytes)
        }
        guard let keys else { throw .damaged(path: path, "its keys cannot be read") }
        return keys
    }

    private func unsealed(_ passphrase: Secret) throws(BackupFailure) -> Secret {
        do throws(PassphraseSeal.Failure) {
            return try PassphraseSeal.open(header.keys.span, under: passphrase)
        } catch {
            switch error {
            case .wrongPassphrase: throw .wrongPassphrase(path: path)
            case .unknownFormat: throw .damaged(path: path, "its keys cannot be read")
            case .fault(let error): throw .crypto(error)
            }
        }
    }

    /// Fails unless these keys open everything in the backup, and the file is as it was made.
    package func check(_ keys: BackupKeys) throws(BackupFailure) {
        let own: OwnKeys
        do throws(StoreFault) {
            own = try StoredSeals.check(try Self.connect(realPath), keys)
        } catch { throw BackupFailure(error, path: path) }
        let code = try BackupFailure.onCrypto { () throws(OpenSSLError) in
            try BackupSeal.code(of: digest, under: own)
        }
        guard seal.hasCode(code) else { throw .notAuthentic(path: path) }
    }
}

/// Bytes.
extension BackupFile {
    /// Fails if something is there that is not a backup.
    static func checkReplaceable(_ path: String) throws(BackupFailure) {
        do throws(BackupFailure) {
            let line = try lastLine(of: path).line
            guard BackupSeal(line: line) != nil else { throw .exists(path: path) }
        } catch {
            if case .system(_, let error) = error, error.isMissingFile { return }
            throw error
        }
    }

    private static func startsLikeADatabase(_ path: String) throws(BackupFailure) -> Bool {
        try BackupFailure.onFile(path) { () throws(SystemError) in
            try LargeFile(path).read(at: 0, count: databaseStart.count) == databaseStart
        }
    }

    /// As many bytes from the end of the file as a seal has, and the size of the file.
    private static func lastLine(
        of path: String
    ) throws(BackupFailure) -> (line: [UInt8], size: Int) {
        try BackupFailure.onFile(path) { () throws(SystemError) in
            let file = try LargeFile(path)
            let start = max(0, file.size - BackupSeal.length)
            return (try file.read(at: start, count: BackupSeal.length), file.size)
        }
    }

    /// Copies the database. Fails unless it is still the one that was checked: the place that keeps
    /// the file may give something else at each reading.
    func copy(to draft: DraftFile, report: BackupReport) throws(BackupFailure) {
        let copied = try Self.digest(of: realPath, isSealed: true, into: draft, report: report)
        guard copied == digest else { throw .changed(path: path) }
    }

    /// The SHA-256 of the file; `isSealed`: without its last line. What is read is also written into
    /// a draft, if there is one.
    static func digest(
        of path: String, isSealed: Bool = false, into draft: DraftFile? = nil,
        report: BackupReport
    ) throws(BackupFailure) -> Digest {
        let file = try BackupFailure.onFile(path) { () throws(SystemError) in
            try LargeFile(path)
        }
        let size = file.size - (isSealed ? BackupSeal.length : 0)
        var hash = try BackupFailure.onCrypto { () throws(OpenSSLError) in try SHA256() }
        try BackupFailure.onCrypto { () throws(OpenSSLError) in try hash.begin() }
        var start = 0
        while start < size {
            let piece = try BackupFailure.onFile(path) { () throws(SystemError) in
                try file.read(at: start, count: min(pieceLength, size - start))
            }
            guard !piece.isEmpty else { break }
            try BackupFailure.onCrypto { () throws(OpenSSLError) in try hash.update(piece.span) }
            if let draft {
                try BackupFailure.onFile(draft.path) { () throws(SystemError) in
                    try draft.append(piece.span)
                }
            }
            start += piece.count
            report(draft == nil ? .checking : .copying, start, size)
        }
        return try BackupFailure.onCrypto { () throws(OpenSSLError) in Digest(try hash.finish()) }
    }
}
