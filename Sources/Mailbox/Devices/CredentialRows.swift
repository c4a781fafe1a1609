import Base
import SQLite

/// Reads credentials and owners from the file.
enum CredentialRows {
    private static let query = """
        SELECT credential.row, secret, credential.name, owner.name, created, last_seen,
        unconfirmed, receive_only FROM credential JOIN owner ON owner.row = credential.owner
        """

    static func load(from connection: borrowing Connection) throws(StoreFault) -> [DeviceCredential]
    {
        let select = try StoreStatement(query + " ORDER BY credential.row", on: connection)
        var credentials: [DeviceCredential] = []
        while try select.step() {
            if let credential = credential(select) { credentials.append(credential) }
        }
        return credentials
    }

    static func load(
        from connection: borrowing Connection, row: Int64
    ) throws(StoreFault) -> DeviceCredential? {
        let select = try connection.statement(query + " WHERE credential.row = ?1", row)
        return try select.step() ? credential(select) : nil
    }

    private static func credential(_ select: borrowing StoreStatement) -> DeviceCredential? {
        guard let secret = select.withBytes(1, { Digest($0) }) else { return nil }
        return DeviceCredential(
            row: UInt32(clamping: select.integer(0)), secret: secret, name: select.text(2),
            owner: select.text(3), created: select.integer(4),
            lastSeen: select.isNull(5) ? nil : select.integer(5),
            isConfirmed: select.integer(6) == 0, isReceiveOnly: select.integer(7) != 0)
    }

    static func owners(
        from connection: borrowing Connection
    ) throws(StoreFault) -> [Owner] {
        let select = try StoreStatement(
            """
            SELECT row, name, (SELECT count(*) FROM credential WHERE owner = owner.row),
            (SELECT count(*) FROM device WHERE owner = owner.row
            AND NOT EXISTS (SELECT 1 FROM registration WHERE registration.device = device.row)),
            (SELECT count(*) FROM subscription JOIN device ON device.row = subscription.device
            WHERE device.owner = owner.row),
            (SELECT count(*) FROM registration WHERE registration.owner = owner.name)
            FROM owner ORDER BY row
            """, on: connection)
        var owners: [Owner] = []
        while try select.step() {
            owners.append(
                Owner(
                    row: UInt32(clamping: select.integer(0)), name: select.text(1),
                    devices: Int(select.integer(2)), userAgents: Int(select.integer(3)),
                    endpoints: Int(select.integer(4)), registrations: Int(select.integer(5))))
        }
        return owners
    }
}
