import Base
import Crypto
import Delivery
import Topics
import WebPush

/// Rare changes; the connection keeps their statements.
extension StoredDevices {
    /// Returns the row of the device's owner, or the stranger's number. Nil if the credential does
    /// not exist, or the owner has `limit` devices already. Local devices are not counted.
    func insert(_ device: KnownUserAgent, limit: Int) throws(StoreFault) -> UInt32? {
        // For `OR`, SQLite would count the local devices although their number does not matter.
        let insert = try transaction.connection.statement(
            """
            INSERT INTO device SELECT ?1, ?2, ?3,
            coalesce((SELECT owner FROM credential WHERE row = ?3), ?6), ?4, ?4, ?7
            WHERE CASE WHEN ?3 IS NULL AND ?6 = 0 THEN 1
            WHEN ?3 IS NULL THEN (SELECT count(*) FROM device WHERE owner = ?6) < ?5
            ELSE EXISTS (SELECT 1 FROM credential WHERE row = ?3 AND
            (SELECT count(*) FROM device WHERE device.owner = credential.owner) < ?5) END
            RETURNING owner
            """, device.row, device.userAgent.bytes, device.credential, device.created,
            Int64(limit), device.stranger.row, transaction.index.address)
        return try insert.step() ? UInt32(clamping: insert.integer(0)) : nil
    }

    /// Adds a device without a user agent. Returns its owner's row; nil without the credential.
    func insert(_ device: KnownUserAgent, owner: String) throws(StoreFault) -> UInt32? {
        let insert = try transaction.connection.statement(
            """
            INSERT INTO device SELECT ?1, ?2, ?3, ?4, ?5, ?5, NULL
            WHERE ?3 IS NULL OR EXISTS (SELECT 1 FROM credential WHERE row = ?3) RETURNING owner
            """, device.row, device.userAgent.bytes, device.credential, try row(ofOwner: owner),
            device.created)
        return try insert.step() ? UInt32(clamping: insert.integer(0)) : nil
    }

    /// Creates the owner if there is none of that name.
    private func row(ofOwner name: String) throws(StoreFault) -> Int64 {
        let owner = try transaction.connection.statement(
            """
            INSERT INTO owner (name) VALUES (?1)
            ON CONFLICT DO UPDATE SET name = name RETURNING row
            """, name)
        return try owner.step() ? owner.integer(0) : 0
    }

    /// False if the device does not exist.
    func insert(
        _ subscription: Subscription, sealedToken: [UInt8]
    ) throws(StoreFault) -> Bool {
        let insert = try transaction.connection.statement(
            """
            INSERT INTO subscription SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
            WHERE EXISTS (SELECT 1 FROM device WHERE row = ?2) RETURNING row
            """, subscription.address.subscription, subscription.address.device,
            Int64(subscription.kind.rawValue), subscription.channel.bytes,
            subscription.digest.bytes,
            subscription.sender.number, subscription.sender.keyHash?.bytes, subscription.created,
            sealedToken)
        return try insert.step()
    }

    /// Returns the endpoint's digest; nil if the subscription does not exist or is bound already.
    func bindKey(_ hash: KeyHash, to subscription: UInt32) throws(StoreFault) -> Digest? {
        let update = try transaction.connection.statement(
            """
            UPDATE subscription SET sender = ?2, key_hash = ?3
            WHERE row = ?1 AND sender = ?4 RETURNING endpoint
            """, subscription, SenderRule.key(hash).number, hash.bytes, SenderRule.firstKey.number)
        return try update.step() ? update.withBytes(0) { Digest($0) } : nil
    }

    /// Returns the endpoint's digest; nil if the subscription does not exist.
    func deleteSubscription(_ row: UInt32) throws(StoreFault) -> Digest? {
        try digest("DELETE FROM subscription WHERE row = ?1 RETURNING endpoint", row)
    }

    func subscriptions(ofDevice device: UInt32) throws(StoreFault) -> [UInt32] {
        try transaction.connection.rows("SELECT row FROM subscription WHERE device = ?1", device)
    }

    /// Subscriptions of the same channel; the user agent only knows the newest.
    func channels(like other: Subscription) throws(StoreFault) -> [UInt32] {
        try transaction.connection.rows(
            "SELECT row FROM subscription WHERE device = ?1 AND channel = ?2 AND kind = ?3",
            other.address.device, other.channel.bytes, Int64(SubscriptionKind.channel.rawValue))
    }

    func devices(underCredential credential: UInt32) throws(StoreFault) -> [UInt32] {
        try transaction.connection.rows("SELECT row FROM device WHERE credential = ?1", credential)
    }

    func devices(ofOwner owner: UInt32) throws(StoreFault) -> [UInt32] {
        try transaction.connection.rows("SELECT row FROM device WHERE owner = ?1", owner)
    }

    /// Returns the digest of its user agent id; nil if the device does not exist.
    func deleteDevice(_ row: UInt32) throws(StoreFault) -> Digest? {
        try digest("DELETE FROM device WHERE row = ?1 RETURNING user_agent", row)
    }

    /// `.conflict` if its endpoints have another address than the server's.
    func touch(_ device: UInt32, at time: Int64) throws(StoreFault) -> StoreOutcome {
        let update = try transaction.connection.statement(
            """
            UPDATE device SET last_seen = ?2 WHERE row = ?1 RETURNING address
            """, device, time)
        guard try update.step() else { return .notFound }
        return update.integer(0) == transaction.index.address ? .done : .conflict
    }

    func lastSeen(_ device: UInt32) throws(StoreFault) -> Int64? {
        let select = try transaction.connection.statement(
            "SELECT last_seen FROM device WHERE row = ?1", device)
        return try select.step() ? select.integer(0) : nil
    }

    func touch(credential row: UInt32, at time: Int64) throws(StoreFault) -> StoreOutcome {
        let update = try transaction.connection.statement(
            "UPDATE credential SET last_seen = ?2 WHERE row = ?1 RETURNING row", row, time)
        return try update.step() ? .done : .notFound
    }

    /// False if the name is taken.
    func insertOwner(_ name: String) throws(StoreFault) -> Bool {
        let insert = try transaction.connection.statement(
            "INSERT INTO owner (name) VALUES (?1) ON CONFLICT DO NOTHING RETURNING row", name)
        return try insert.step()
    }

    /// Also deletes the owner's kept answers, because a later owner may get the same name.
    func deleteOwner(_ row: UInt32) throws(StoreFault) -> Bool {
        try transaction.connection.run(
            "DELETE FROM kept_answer WHERE owner = (SELECT name FROM owner WHERE row = ?1)", row)
        return try !transaction.connection.rows(
            "DELETE FROM owner WHERE row = ?1 RETURNING row", row
        ).isEmpty
    }

    func deleteAnswers(forOwnerOf credential: UInt32) throws(StoreFault) {
        try transaction.connection.run(
            """
            DELETE FROM kept_answer WHERE owner = (SELECT owner.name FROM owner
            JOIN credential ON credential.owner = owner.row WHERE credential.row = ?1)
            """, credential)
    }

    func credentials(ofOwner owner: UInt32) throws(StoreFault) -> [UInt32] {
        try transaction.connection.rows("SELECT row FROM credential WHERE owner = ?1", owner)
    }

    /// `.conflict` if the owner has a credential of that name, `.full` at `limit`.
    func insert(_ credential: DeviceCredential, limit: Int) throws(StoreFault) -> StoreOutcome {
        let owner = try row(ofOwner: credential.owner)
        let terms = try credential.token.map { token throws(StoreFault) in
            try seal(token.terms, at: CredentialRows.place(credential.row, of: owner))
        }
        let end = credential.token?.terms.end.map(transaction.time(ofWall:))
        let insert = try transaction.connection.statement(
            """
            INSERT INTO credential SELECT ?1, ?2, ?3, ?4, ?5, ?6, 0, ?8, ?9, ?10, ?11, ?12
            WHERE (SELECT count(*) FROM credential
            WHERE owner = ?4 AND (sealed_terms IS NULL) = (?9 IS NULL)) < ?7
            AND (?10 IS NULL OR EXISTS (SELECT 1 FROM credential WHERE row = ?10 AND owner = ?4))
            AND (?11 IS NULL OR EXISTS (SELECT 1 FROM topic
            WHERE device = ?11 AND owner = ?4 AND ended = 0))
            ON CONFLICT (owner, name) DO NOTHING RETURNING row
            """, credential.row, credential.secret.bytes, credential.name, owner,
            credential.created, credential.lastSeen, Int64(limit),
            Int64(credential.isReceiveOnly ? 1 : 0), terms, credential.token?.parent,
            credential.token?.device, end?.milliseconds)
        if try insert.step() {
            if let end { transaction.wake(at: end) }
            return .done
        }
        let other = try transaction.connection.statement(
            "SELECT 1 FROM credential WHERE owner = ?1 AND name = ?2", owner, credential.name)
        return try other.step() ? .conflict : .full
    }

    /// Tokens that end with another one, or with a topic.
    func tokens(madeWith credential: UInt32) throws(StoreFault) -> [UInt32] {
        try transaction.connection.rows(
            "SELECT row FROM credential WHERE parent = ?1", credential)
    }

    func tokens(ofTopic device: UInt32) throws(StoreFault) -> [UInt32] {
        try transaction.connection.rows("SELECT row FROM credential WHERE topic = ?1", device)
    }

    /// Tokens whose time is over.
    func expiredTokens(at now: StoreTime, limit: Int) throws(StoreFault) -> [UInt32] {
        try transaction.connection.rows(
            "SELECT row FROM credential WHERE expires <= ?1 ORDER BY expires LIMIT ?2",
            now.milliseconds, Int64(limit))
    }

    func nextTokenExpiry() throws(StoreFault) -> StoreTime? {
        let select = try transaction.connection.statement(
            """
            SELECT expires FROM credential WHERE expires IS NOT NULL ORDER BY expires LIMIT 1
            """)
        return try select.step() ? StoreTime(milliseconds: select.integer(0)) : nil
    }

    /// Returns the digest of its secret; nil if the credential does not exist.
    func confirm(credentialRow row: UInt32) throws(StoreFault) -> Digest? {
        try digest("UPDATE credential SET unconfirmed = 0 WHERE row = ?1 RETURNING secret", row)
    }

    /// Returns the digest of its secret; nil if the token does not exist.
    func set(_ name: String, ofToken row: UInt32) throws(StoreFault) -> Digest? {
        let update = try transaction.connection.statement(
            """
            UPDATE credential SET name = ?2 WHERE row = ?1 AND sealed_terms IS NOT NULL
            RETURNING secret
            """, row, name)
        return try update.step() ? update.withBytes(0) { Digest($0) } : nil
    }

    /// Returns the digest of its secret; nil if the token does not exist.
    func set(_ terms: TokenTerms, ofToken row: UInt32) throws(StoreFault) -> Digest? {
        let owners = try transaction.connection.rows(
            "SELECT owner FROM credential WHERE row = ?1 AND sealed_terms IS NOT NULL", row)
        guard let owner = owners.first else { return nil }
        let sealed = try seal(terms, at: CredentialRows.place(row, of: Int64(owner)))
        let end = terms.end.map(transaction.time(ofWall:))
        let update = try transaction.connection.statement(
            """
            UPDATE credential SET sealed_terms = ?2, expires = ?3 WHERE row = ?1
            RETURNING secret
            """, row, sealed, end?.milliseconds)
        guard try update.step() else { return nil }
        if let end { transaction.wake(at: end) }
        return update.withBytes(0) { Digest($0) }
    }

    private func seal(
        _ terms: TokenTerms, at place: Sealer.Place
    ) throws(StoreFault) -> [UInt8] {
        try transaction.seal(TokenRecord(terms).coded, at: place)
    }

    /// Returns the digest of its secret; nil if the credential does not exist.
    func deleteCredential(_ row: UInt32) throws(StoreFault) -> Digest? {
        try digest("DELETE FROM credential WHERE row = ?1 RETURNING secret", row)
    }

    private func digest(_ sql: String, _ row: UInt32) throws(StoreFault) -> Digest? {
        let statement = try transaction.connection.statement(sql, row)
        return try statement.step() ? statement.withBytes(0) { Digest($0) } : nil
    }
}
