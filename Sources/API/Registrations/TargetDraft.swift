import Base
import Crypto
import Delivery
import Mailbox
import PushService
import WebPush

/// The new endpoint of a registration, with its keys.
struct TargetDraft {
    let target: Registration.Target
    let subscription: Subscription

    init(
        _ terms: RegistrationTerms, device: UInt32, _ service: PushContext, created: Int64
    ) throws(OpenSSLError) {
        let token: EndpointToken
        let digest: Digest
        (token, digest) = try service.makeEndpoint()
        let row = service.index.nextSubscription()
        let isReceiver = terms.tokenType == .webPush
        target = Registration.Target(
            subscription: row, token: token, keys: isReceiver ? try Self.makeKeys() : nil)
        subscription = Subscription(
            address: Address(subscription: row, device: device),
            kind: isReceiver ? .receiver : .signal,
            // No user agent registered it.
            channel: ChannelID(high: 0, low: 0), sender: terms.isSigned ? .firstKey : .anyone,
            token: token, digest: digest, created: created)
    }

    private static func makeKeys() throws(OpenSSLError) -> Registration.Keys {
        let keys = try ReceiverKeys.generate()
        return Registration.Keys(
            publicKey: keys.privateKey.publicKey, privateKey: try keys.privateKey.bytes,
            auth: keys.auth)
    }
}
