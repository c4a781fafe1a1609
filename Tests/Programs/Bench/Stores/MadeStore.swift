import Crypto
import Mailbox
import System

/// A new store, with the key under which `bellwire serve` opens it.
enum MadeStore {
    struct Failed: Error { let what: String }

    static func make(_ options: Options) throws -> SQLiteStore {
        guard !options.state.isEmpty, !options.keys.isEmpty else {
            throw Options.Failure(message: "--state and --keys are needed")
        }
        try PrivateFolder.make(options.state, mode: 0o750)
        try PrivateFolder.make(options.keys)
        let key = try MasterKey.generate()
        let json = try StoredKey.master(key).json()
        try KeyFile.create(options.keys + "/master.json", json.span)
        var store = SQLiteStore.Options(folder: options.state, masterKey: key)
        store.onFault = { StandardError.write("Bench: fault: \($0)\n") }
        return try SQLiteStore(store)
    }
}
