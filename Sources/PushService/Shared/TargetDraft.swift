import Base
package import Crypto
import Delivery
package import Mailbox
import WebPush

/// The new endpoint of a registration, with its keys.
package struct TargetDraft {
    package let target: Registration.Target
    package let subscription: Subscription

    package init(
        _ terms: RegistrationTerms, device: UInt32, _ service: ServiceState, created: Int64
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
