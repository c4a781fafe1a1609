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
        let select = try StoreStatement(DeviceRows.query, on: connection)
        while try select.step() {
            if let (device, owner) = DeviceRows.device(select) { add(device, owner: owner) }
        }
    }

    private func loadEndpoints(from connection: borrowing Connection) throws(StoreFault) {
        let select = try StoreStatement(SubscriptionRows.endpointQuery, on: connection)
        while try select.step() {
            if let (endpoint, digest) = SubscriptionRows.endpointAndDigest(select) {
                add(endpoint, digest)
            }
        }
    }
}
