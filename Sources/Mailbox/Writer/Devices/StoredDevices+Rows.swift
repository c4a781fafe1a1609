import Base
import WebPush

/// What happens rarely; its statements are prepared when they are needed.
extension StoredDevices {
    /// The row of the device's owner, or the number of the stranger, who has fewer than `limit`; nil
    /// if its credential does not exist, or there are as many. On this machine nobody counts them.
    func insert(_ device: KnownUserAgent, limit: Int) throws(StoreFault) -> UInt32? {
        let insert = try StoreStatement(
            """
            INSERT INTO device SELECT ?1, ?2, ?3,
            coalesce((SELECT owner FROM credential WHERE row = ?3), ?6), ?4, ?4
            WHERE CASE WHEN ?3 IS NULL
            THEN ?6 = 0 OR (SELECT count(*) FROM device WHERE owner = ?6) < ?5
            ELSE EXISTS (SELECT 1 FROM credential WHERE row = ?3 AND
            (SELECT count(*) FROM device WHERE device.owner = credential.owner) < ?5) END
            RETURNING owner
            """, on: transaction.connection)
        try insert.bind(Int64(device.stranger.row), at: 6)
        try insert.bind(Int64(limit), at: 5)
        try insert.bind(Int64(device.row), at: 1)
        try insert.bind(device.userAgent.bytes, at: 2)
        try insert.bind(device.credential.map(Int64.init), at: 3)
        try insert.bind(device.created, at: 4)
        return try insert.step() ? UInt32(clamping: insert.integer(0)) : nil
    }

    /// One without a user agent. The row of its owner; nil if its credential does not exist.
    func insert(_ device: KnownUserAgent, owner: String) throws(StoreFault) -> UInt32? {
        let insert = try StoreStatement(
            """
            INSERT INTO device SELECT ?1, ?2, ?3, ?4, ?5, ?5
            WHERE ?3 IS NULL OR EXISTS (SELECT 1 FROM credential WHERE row = ?3) RETURNING owner
            """, on: transaction.connection)
        try insert.bind(Int64(device.row), at: 1)
        try insert.bind(device.userAgent.bytes, at: 2)
        try insert.bind(device.credential.map(Int64.init), at: 3)
        try insert.bind(try row(ofOwner: owner), at: 4)
        try insert.bind(device.created, at: 5)
        return try insert.step() ? UInt32(clamping: insert.integer(0)) : nil
    }

    /// Made if there is none of that name.
    private func row(ofOwner name: String) throws(StoreFault) -> Int64 {
        let owner = try StoreStatement(
            """
            INSERT INTO owner (name) VALUES (?1)
            ON CONFLICT DO UPDATE SET name = name RETURNING row
            """, on: transaction.connection)
        try owner.bind(text: name, at: 1)
        return try owner.step() ? owner.integer(0) : 0
    }

    /// False if its device does not exist.
    func insert(
        _ subscription: Subscription, sealedToken: [UInt8]
    ) throws(StoreFault) -> Bool {
        let insert = try StoreStatement(
            """
            INSERT INTO subscription SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
            WHERE EXISTS (SELECT 1 FROM device WHERE row = ?2) RETURNING row
            """, on: transaction.connection)
        try insert.bind(Int64(subscription.address.subscription), at: 1)
        try insert.bind(Int64(subscription.address.device), at: 2)
        try insert.bind(Int64(subscription.kind.rawValue), at: 3)
        try insert.bind(subscription.channel.bytes, at: 4)
        try insert.bind(subscription.digest.bytes, at: 5)
        try insert.bind(subscription.sender.number, at: 6)
        try insert.bind(subscription.sender.keyHash?.bytes, at: 7)
        try insert.bind(subscription.created, at: 8)
        try insert.bind(sealedToken, at: 9)
        return try insert.step()
    }

    /// The endpoint's digest; nil if the subscription is not there or is bound already.
    func bindKey(_ hash: KeyHash, to subscription: UInt32) throws(StoreFault) -> Digest? {
        let update = try StoreStatement(
            """
            UPDATE subscription SET sender = ?2, key_hash = ?3
            WHERE row = ?1 AND sender = ?4 RETURNING endpoint
            """, on: transaction.connection)
        try update.bind(Int64(subscription), at: 1)
        try update.bind(SenderRule.key(hash).number, at: 2)
        try update.bind(hash.bytes, at: 3)
        try update.bind(SenderRule.firstKey.number, at: 4)
        return try update.step() ? update.withBytes(0) { Digest($0) } : nil
    }

    /// The endpoint's digest; nil if the subscription is not there.
    func deleteSubscription(_ row: UInt32) throws(StoreFault) -> Digest? {
        try digest("DELETE FROM subscription WHERE row = ?1 RETURNING endpoint", row)
    }

    func subscriptions(ofDevice device: UInt32) throws(StoreFault) -> [UInt32] {
        try rows("SELECT row FROM subscription WHERE device = ?1", device)
    }

    /// Those of the same channel, of which a user agent knows only the newest.
    func channels(like other: Subscription) throws(StoreFault) -> [UInt32] {
        let select = try StoreStatement(
            "SELECT row FROM subscription WHERE device = ?1 AND channel = ?2 AND kind = ?3",
            on: transaction.connection)
        try select.bind(Int64(other.address.device), at: 1)
        try select.bind(other.channel.bytes, at: 2)
        try select.bind(Int64(SubscriptionKind.channel.rawValue), at: 3)
        var rows: [UInt32] = []
        while try select.step() { rows.append(UInt32(clamping: select.integer(0))) }
        return rows
    }

    func devices(underCredential credential: UInt32) throws(StoreFault) -> [UInt32] {
        try rows("SELECT row FROM device WHERE credential = ?1", credential)
    }

    func devices(ofOwner owner: UInt32) throws(StoreFault) -> [UInt32] {
        try rows("SELECT row FROM device WHERE owner = ?1", owner)
    }

    /// The digest of its user agent id; nil if it is not there.
    func deleteDevice(_ row: UInt32) throws(StoreFault) -> Digest? {
        try digest("DELETE FROM device WHERE row = ?1 RETURNING user_agent", row)
    }

    /// False if it is not there.
    func touch(
        _ table: SeenTable, _ row: UInt32, at time: Int64
    ) throws(StoreFault) -> Bool {
        let update = try StoreStatement(
            "UPDATE \(table.rawValue) SET last_seen = ?2 WHERE row = ?1 RETURNING row",
            on: transaction.connection)
        try update.bind(Int64(row), at: 1)
        try update.bind(time, at: 2)
        return try update.step()
    }

    enum SeenTable: String {
        case device
        case credential
    }

    /// False if there is one of that name.
    func insertOwner(_ name: String) throws(StoreFault) -> Bool {
        let insert = try StoreStatement(
            "INSERT INTO owner (name) VALUES (?1) ON CONFLICT DO NOTHING RETURNING row",
            on: transaction.connection)
        try insert.bind(text: name, at: 1)
        return try insert.step()
    }

    /// With the answers that are given again: a later owner may have his name.
    func deleteOwner(_ row: UInt32) throws(StoreFault) -> Bool {
        _ = try rows(
            """
            DELETE FROM kept_answer WHERE owner = (SELECT name FROM owner WHERE row = ?1)
            RETURNING row
            """, row)
        return try !rows("DELETE FROM owner WHERE row = ?1 RETURNING row", row).isEmpty
    }

    func credentials(ofOwner owner: UInt32) throws(StoreFault) -> [UInt32] {
        try rows("SELECT row FROM credential WHERE owner = ?1", owner)
    }

    /// `.conflict` if its owner has one of that name, `.full` if there are `limit` of them.
    func insert(_ credential: DeviceCredential, limit: Int) throws(StoreFault) -> StoreOutcome {
        let owner = try row(ofOwner: credential.owner)
        let insert = try StoreStatement(
            """
            INSERT INTO credential SELECT ?1, ?2, ?3, ?4, ?5, ?6
            WHERE (SELECT count(*) FROM credential WHERE owner = ?4) < ?7
            ON CONFLICT (owner, name) DO NOTHING RETURNING row
            """, on: transaction.connection)
        try insert.bind(Int64(credential.row), at: 1)
        try insert.bind(credential.secret.bytes, at: 2)
        try insert.bind(text: credential.name, at: 3)
        try insert.bind(owner, at: 4)
        try insert.bind(credential.created, at: 5)
        try insert.bind(credential.lastSeen, at: 6)
        try insert.bind(Int64(limit), at: 7)
        if try insert.step() { return .done }
        let other = try StoreStatement(
            "SELECT 1 FROM credential WHERE owner = ?1 AND name = ?2", on: transaction.connection)
        try other.bind(owner, at: 1)
        try other.bind(text: credential.name, at: 2)
        return try other.step() ? .conflict : .full
    }

    /// The digest of its secret; nil if it is not there.
    func deleteCredential(_ row: UInt32) throws(StoreFault) -> Digest? {
        try digest("DELETE FROM credential WHERE row = ?1 RETURNING secret", row)
    }

    private func digest(_ sql: String, _ row: UInt32) throws(StoreFault) -> Digest? {
        let statement = try StoreStatement(sql, on: transaction.connection)
        try statement.bind(Int64(row), at: 1)
        return try statement.step() ? statement.withBytes(0) { Digest($0) } : nil
    }

    private func rows(_ sql: String, _ key: UInt32) throws(StoreFault) -> [UInt32] {
        let statement = try StoreStatement(sql, on: transaction.connection)
        try statement.bind(Int64(key), at: 1)
        var rows: [UInt32] = []
        while try statement.step() { rows.append(UInt32(clamping: statement.integer(0))) }
        return rows
    }
}
