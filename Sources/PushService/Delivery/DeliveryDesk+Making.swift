import Base
import Crypto
import Delivery
import Mailbox
import WebPush

/// Makes what needs an unguessable name.
extension DeliveryDesk {
    /// Nil if the machine cannot make random numbers.
    func makeEndpoint() -> (token: EndpointToken, digest: Digest)? {
        do throws(OpenSSLError) {
            let token = try mint.make()
            return (token, try mint.digest(of: token))
        } catch {
            return nil
        }
    }

    /// What an engine shows can be taken back by a location that only tells this server its device.
    func makeMessage(
        _ content: consuming Message.Content, to address: Address,
        _ reservation: consuming Reservation = Reservation(), isShown: Bool = false
    ) throws(PushRefusal) -> Message {
        do throws(OpenSSLError) {
            let id =
                PlantedMistake.idIsRow.isMade
                ? MessageID(high: 0, low: UInt64(service.index.nextSequence()))
                : try MessageID(from: &random)
            let expiry = service.store.clock.now.adding(seconds: content.ttl)
            let location =
                isShown
                ? try mint.location(for: address.device) : try LocationID(from: &random)
            return Message(
                id: id, location: location, address: address,
                sequence: service.index.nextSequence(), content: consume content,
                arrival: Int64(service.now() * 1_000), expiry: expiry,
                reservation: reservation)
        } catch {
            throw .unavailable
        }
    }
}
