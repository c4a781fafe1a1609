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

    func makeMessage(
        _ content: consuming Message.Content, to address: Address,
        _ reservation: consuming Reservation = Reservation()
    ) throws(PushRefusal) -> Message {
        do throws(OpenSSLError) {
            let id =
                PlantedMistake.idIsRow.isMade
                ? MessageID(high: 0, low: UInt64(service.index.nextSequence()))
                : try MessageID(from: &random)
            let expiry = service.store.clock.now.adding(seconds: content.ttl)
            return Message(
                id: id, location: try LocationID(from: &random), address: address,
                sequence: service.index.nextSequence(), content: consume content,
                arrival: Int64(service.now() * 1_000), expiry: expiry,
                reservation: reservation)
        } catch {
            throw .unavailable
        }
    }
}
