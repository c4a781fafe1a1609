import Foundation
import Testing

@testable import Mailbox

/// A store that follows the log of another one, and must be like it in the end.
final class FollowingStore {
    private var store: SQLiteStore?
    private let log: MemoryLog
    private let folder: String
    private let options: SQLiteStore.Options

    init(_ options: SQLiteStore.Options, _ log: MemoryLog, _ folder: String) throws {
        self.log = log
        self.folder = folder
        var options = options
        options.folder = folder
        options.log = options.log.map { log.seat("follower", $0.origin) }
        self.options = options
        store = try SQLiteStore(options)
    }

    /// Closes the store.
    private func takeIndex() throws -> [String] {
        defer { store = nil }
        guard let store else { return [] }
        defer { store.close() }
        return try StorePicture.index(of: store, folder)
    }

    /// `other` is the folder of the store that was followed.
    func compare(with other: String) {
        do {
            let deadline = Date(timeIntervalSinceNow: 60)
            while try StorePicture.applied(folder) < log.last, Date() < deadline { usleep(2_000) }
            let (rows, own) = (try StorePicture.rows(other), try StorePicture.rows(folder))
            if rows != own {
                let differences = own.difference(from: rows).prefix(6).map { "\($0)" }
                Issue.record("the follower differs: \(differences.joined(separator: "; "))")
            }
            let index = try takeIndex()
            store = try SQLiteStore(options)
            let loaded = try takeIndex()
            if index != loaded {
                let differences = index.difference(from: loaded).prefix(6).map { "\($0)" }
                Issue.record("the index differs: \(differences.joined(separator: "; "))")
            }
        } catch { Issue.record("the follower cannot be compared: \(error)") }
    }
}
