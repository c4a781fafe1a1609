import Base
import SQLite

/// Fills the index at the start. Messages are counted when they are scanned.
extension StoreIndex {
    func load(from connection: borrowing Connection) throws(StoreFault) {
        try loadDevices(from: connection)
        try loadEndpoints(from: connection)
        for credential in try CredentialRows.load(from: connection) { set(credential) }
        for row in try connection.rows(
            "SELECT row FROM callback WHERE state = ?1", CallbackState.gone.rawValue)
        {
            callbacks.set(row, isGone: true)
        }
        try MarkRows<OwnedMark>.load(from: connection) { keep($0) }
    }

    private func loadDevices(from connection: borrowing Connection) throws(StoreFault) {
        let select = try StoreStatement(
            "SELECT row, user_agent, credential, owner, created FROM device", on: connection)
        while try select.step() {
            guard let userAgent = select.withBytes(1, { Digest($0) }) else { continue }
            let credential = UInt32(clamping: select.integer(2))
            let device = KnownUserAgent(
                row: UInt32(clamping: select.integer(0)), userAgent: userAgent,
                credential: select.isNull(2) ? nil : credential, created: select.integer(4))
            add(device, owner: UInt32(clamping: select.integer(3)))
        }
    }

    private func loadEndpoints(from connection: borrowing Connection) throws(StoreFault) {
        let select = try StoreStatement(
            "SELECT row, device, kind, sender, key_hash, endpoint FROM subscription",
            on: connection)
        while try select.step() {
            guard let endpoint = SubscriptionRows.endpoint(select),
                let digest = select.withBytes(5, { Digest($0) })
            else { continue }
            add(endpoint, digest)
        }
    }
}
