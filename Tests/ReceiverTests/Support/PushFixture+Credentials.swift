import Base
import Crypto
import TestSupport
import WebPush

@testable import Mailbox

extension PushFixture {
    /// A device credential that the service knows from now on: its secret, as paths have it.
    func addCredential() throws -> String {
        let secret = try Random.bytes(count: Credential.secretLength)
        var hash = try SHA256()
        let credential = Credential(
            row: store.index.nextCredential(), secret: Digest(try hash.digest(of: secret.span)),
            name: "test", owner: "tester", created: 1)
        run(.addCredential(credential))
        return Base64URL.text(secret.span)
    }

    /// An endpoint that no user agent can register, of a device that is away.
    func addEndpoint(_ kind: SubscriptionKind) throws -> String {
        var hash = try SHA256()
        let name = try Random.bytes(count: 16)
        let device = Device(
            row: store.index.nextDevice(), userAgent: Digest(try hash.digest(of: name.span)),
            credential: nil, created: 1)
        run(.addDevice(device))
        var mint = try EndpointMint(key: store.endpointKey)
        let token = try mint.make()
        let address = Address(
            subscription: store.index.nextSubscription(), device: device.row)
        run(
            .register(
                Subscription(
                    address: address, kind: kind, channel: ChannelID(high: 1, low: 2),
                    sender: .anyone, token: token, digest: try mint.digest(of: token),
                    created: 1)))
        let bytes = token.bytes
        return "/wpush/v1/" + Base64URL.text(bytes.span)
    }

    private func run(_ operation: StoreOperation) {
        let sink = OneAnswer()
        store.submit(operation, ticket: 0, to: sink)
        sink.wait()
    }
}
