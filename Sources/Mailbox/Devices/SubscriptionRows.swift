import Base
import Crypto
import Delivery
import SQLite
import WebPush

/// Reads subscriptions from the file.
enum SubscriptionRows {
    private static let table: StaticString = "subscription"
    private static let sealedColumn: StaticString = "sealed_token"

    /// `owner`: the number that the row of its device has.
    static func place(_ row: UInt32, of owner: Int64) -> Sealer.Place {
        Sealer.Place(
            table: table, row: Int64(row), column: sealedColumn, owner: .number(owner))
    }

    /// The subscriptions of one device, without those that cannot be unsealed.
    static func load(
        ofDevice device: UInt32, from connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> [Subscription] {
        let select = try connection.statement(
            """
            SELECT row, device, kind, sender, key_hash, endpoint, channel, created, sealed_token,
            (SELECT owner FROM device WHERE row = ?1)
            FROM subscription WHERE device = ?1 ORDER BY row
            """, device)
        var subscriptions: [Subscription] = []
        while try select.step() {
            guard let endpoint = endpoint(select),
                let digest = select.withBytes(5, { Digest($0) }),
                let channel = select.withBytes(6, { ChannelID($0) }),
                let token = token(select, endpoint.address.subscription, &sealer)
            else { continue }
            subscriptions.append(
                Subscription(
                    address: endpoint.address, kind: endpoint.kind, channel: channel,
                    sender: endpoint.sender, token: token, digest: digest,
                    created: select.integer(7)))
        }
        return subscriptions
    }

    /// What `endpointAndDigest` reads.
    static let endpointQuery =
        "SELECT row, device, kind, sender, key_hash, endpoint FROM subscription"

    static func endpointAndDigest(_ select: borrowing StoreStatement) -> (Endpoint, Digest)? {
        guard let endpoint = endpoint(select), let digest = select.withBytes(5, { Digest($0) })
        else { return nil }
        return (endpoint, digest)
    }

    static func endpoint(_ select: borrowing StoreStatement) -> Endpoint? {
        guard let kind = SubscriptionKind(rawValue: UInt8(clamping: select.integer(2))),
            let sender = SenderRule(number: select.integer(3), keyHash: select.bytes(4))
        else { return nil }
        let address = Address(
            subscription: UInt32(clamping: select.integer(0)),
            device: UInt32(clamping: select.integer(1)))
        return Endpoint(address: address, kind: kind, sender: sender)
    }

    private static func token(
        _ select: borrowing StoreStatement, _ row: UInt32, _ sealer: inout Sealer
    ) -> EndpointToken? {
        let sealed = select.bytes(8)
        let place = place(row, of: select.integer(9))
        guard let secret = try? sealer.open(sealed.span, at: place) else { return nil }
        return EndpointToken(recorded: secret.withSpan { $0.array($0.indices) })
    }
}
