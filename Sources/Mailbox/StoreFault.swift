package import Crypto
package import SQLite
package import System

/// Why the store cannot work.
package enum StoreFault: Error, Equatable, Sendable, CustomStringConvertible {
    case sqlite(SQLiteError)
    case crypto(OpenSSLError)
    /// The database exists but cannot be trusted; holds what `quick_check` reported.
    case damaged(String)
    case wrongMasterKey
    case newerSchema(found: Int, known: Int)
    /// A program before 0.1.0 wrote it.
    case earlierSchema
    case folder(StateFolder.Failure)
    case thread(code: Int32)
    /// Other stores have written to the log since: the batch has to be done again after theirs.
    case outdated
    /// It is unknown whether the log has the batch.
    case undecided
    /// The log no longer has what this store lacks.
    case behind
    /// This store is not what the log made of the others.
    case differs(StoreDifference)
    /// The log has an entry of a newer schema.
    case newerLog(found: Int, known: Int)
    /// The folder has a store that never followed the log.
    case foreign
    /// The folder has a copy of the store that nodes share.
    case shared

    package var description: String {
        switch self {
        case .sqlite(let error): "the store failed: \(error)"
        case .crypto(let error): "the store cannot seal or unseal: \(error)"
        case .damaged(let finding): "the store is damaged: \(finding)"
        case .wrongMasterKey: "the store was sealed under another master key"
        case .newerSchema(let found, let known):
            "the store was written by a newer bellwire (it has schema \(found), this version knows \(known))"
        case .earlierSchema:
            "the store was written by an earlier bellwire, which this version does not continue"
        case .folder(let failure): failure.description
        case .thread(let code): "the store cannot start a thread (error \(code))"
        case .outdated: "other nodes write without a pause"
        case .undecided: "the cluster did not answer"
        case .behind: "the store is too old to follow the other nodes"
        case .differs(let difference):
            "the store differs from those of the other nodes (\(difference))"
        case .newerLog(let found, let known):
            "other nodes run a newer bellwire (they write schema \(found), this version knows \(known))"
        case .foreign: "the folder has a store of its own, which is not part of the cluster"
        case .shared: "the folder has a copy of the store that the nodes of a cluster share"
        }
    }

    package var hint: String? {
        switch self {
        case .sqlite(let error) where error.isFull: "free some space on the disk"
        case .sqlite, .crypto, .thread, .outdated: nil
        case .undecided: "see whether the servers of NATS run, and lead their streams"
        case .behind, .differs:
            "start bellwire again: it then begins with a copy of another node's store"
        case .newerLog: "upgrade bellwire on this node"
        case .foreign:
            """
            name an empty folder with state, or move this store to a cluster by bellwire migrate; if \
            it was in one that is lost, make that anew by bellwire cluster rebuild
            """
        case .shared:
            "set store to the servers of the cluster, or take it out by bellwire migrate --to sqlite"
        case .damaged: "move the files bellwire.db* away and run bellwire restore"
        case .wrongMasterKey: "start with the key file or credential that belongs to this store"
        case .newerSchema:
            "install the newer version again, or run bellwire restore with a backup of this one"
        case .earlierSchema: "move the files bellwire.db* away; the next start makes a new store"
        case .folder(let failure): failure.hint
        }
    }

    var isFull: Bool {
        if case .sqlite(let error) = self { error.isFull } else { false }
    }

    /// The fault probably passes within seconds: the servers choose who leads the log.
    var isBrief: Bool { self == .undecided || self == .outdated }

    init(_ failure: Migration.Failure) {
        switch failure {
        case .newerSchema(let found, let known): self = .newerSchema(found: found, known: known)
        case .earlierSchema: self = .earlierSchema
        case .step(_, let error), .sqlite(let error): self.init(error)
        }
    }

    init(_ error: SQLiteError) {
        self = error.isDamage ? .damaged(error.description) : .sqlite(error)
    }
}

/// What shows that a store is not like the others that follow the same log.
package struct StoreDifference: Equatable, Sendable, CustomStringConvertible {
    /// In which rows differ.
    package let table: String
    /// After this entry of the log they did, or its changes do not fit.
    package let entry: Int64

    package init(table: String, entry: Int64) {
        self.table = table
        self.entry = entry
    }

    package var description: String { "table \(table), entry \(entry)" }
}
