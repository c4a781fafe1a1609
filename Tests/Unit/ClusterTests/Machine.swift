import Crypto
import Mailbox
import SQLite
import TestSupport
import Testing

@testable import Cluster

/// A store of one machine.
struct Machine: Sendable {
    let folder: TemporaryFolder
    let key: MasterKey

    init(_ key: MasterKey? = nil) throws {
        folder = try TemporaryFolder()
        self.key = try key ?? MasterKey.generate()
    }

    /// Two with the same master key.
    static func pair() throws -> (Machine, Machine) {
        let first = try Machine()
        return (first, try Machine(first.key))
    }

    var state: String { folder.file("state") }
    var options: SQLiteStore.Options { SQLiteStore.Options(folder: state, masterKey: key) }
    var applied: Int64? { (try? StorePlace(in: state))??.applied }

    /// Opens its store, adds an owner, and closes it.
    func use(_ owner: String) throws { try use(SQLiteStore(options), owner) }

    func use(_ store: SQLiteStore, _ owner: String) throws {
        run(.addOwner(name: owner), store)
        store.close()
    }

    func run(_ operation: StoreOperation, _ store: SQLiteStore) {
        let outcome = OutcomeBox()
        store.submit(operation, ticket: 1, to: outcome)
        #expect(outcome.value.wait(atMost: 10_000) == .done)
    }

    func arrive(_ settings: ClusterSettings) throws {
        let toCluster = try MoveToCluster(settings)
        defer { toCluster.close() }
        try begin(toCluster)
        try toCluster.put(storeIn: state) { _, _ in }
        try toCluster.complete(state)
    }

    func begin(_ toCluster: MoveToCluster) throws {
        try toCluster.begin(#require(try StorePlace(in: state)))
    }

    /// Changes its file behind the store's back.
    func plant(_ sql: String) throws {
        try Connection(StoreCopy.store(in: state), .readWrite).execute(sql)
    }

    func row(of owner: String) throws -> UInt32 {
        let connection = try Connection(StoreCopy.store(in: state), .readOnly)
        let row = try connection.integer("SELECT row FROM owner WHERE name = '\(owner)'")
        return try #require(UInt32(exactly: row))
    }

    func owners() throws -> [String] {
        let connection = try Connection(StoreCopy.store(in: state), .readOnly)
        let statement = try Statement("SELECT name FROM owner ORDER BY name", on: connection)
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        return names
    }
}

func openAndClose(_ settings: ClusterSettings, _ machine: Machine) throws {
    let node = try ClusterConnection(settings)
    defer { node.close() }
    try node.openStore(machine.options, node: settings.name).close()
}

/// Waits for one outcome.
final class OutcomeBox: StoreSink {
    let value = AwaitedValue<StoreOutcome>()

    func completed(_ completions: [CompletedOperation]) {
        for completion in completions { value.bring(completion.outcome) }
    }

    func loaded(_ answer: LoadAnswer, ticket: UInt64) {}
}
