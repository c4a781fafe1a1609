import Base
import Crypto
import Delivery
package import Mailbox
import WebPush

/// A push of the server itself to a registration, by which its owner sees that pushes arrive.
///
/// It goes the way of all others from the mailbox on. The way to the mailbox is the sender's.
package struct TestPush: ~Copyable {
    /// In seconds.
    private static let ttl: UInt32 = 3_600

    private let service: PushContext
    private var random = RandomSupply()

    package init(_ service: PushContext) { self.service = service }

    /// Nil if nothing can be sent now.
    package mutating func operation(
        title: String, text: String, to registration: Registration
    ) -> StoreOperation? {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("title", title)
            writer.member("message", text)
        }
        let isSignal = registration.terms.tokenType == .simplePush
        // As well protected as what the registration's senders send.
        let content = Message.Content(
            body: isSignal ? [] : writer.bytes,
            level: registration.secret == nil ? .webpush : .mtproto, urgency: .high, ttl: Self.ttl)
        do throws(OpenSSLError) {
            return isSignal
                ? try signal(content, registration) : try message(content, registration)
        } catch { return nil }
    }

    private mutating func message(
        _ content: Message.Content, _ registration: Registration
    ) throws(OpenSSLError) -> StoreOperation? {
        let address = address(of: registration)
        var reservation = Reservation()
        guard service.index.reserve(content, for: address, in: &reservation) else { return nil }
        let message = try make(content, address, reservation)
        let telling = try registration.telling(
            .message(CallbackEvent.Payload(message)), at: message.arrival, &random)
        return .registration(
            .receive(message, nil, registration.enginePush.ofText), telling: telling)
    }

    private mutating func signal(
        _ content: Message.Content, _ registration: Registration
    ) throws(OpenSSLError) -> StoreOperation {
        let message = try make(content, address(of: registration), Reservation())
        let signal = FetchSignal(
            id: message.id, version: nil, arrival: message.arrival, expiry: message.expiry)
        let telling = try registration.telling(
            .fetch(count: 1, version: nil), at: message.arrival, &random)
        return .registration(.signal(signal, message.address), telling: telling)
    }

    private func address(of registration: Registration) -> Address {
        Address(subscription: registration.target.subscription, device: registration.device)
    }

    private mutating func make(
        _ content: Message.Content, _ address: Address, _ reservation: consuming Reservation
    ) throws(OpenSSLError) -> Message {
        Message(
            id: try MessageID(from: &random), location: try LocationID(from: &random),
            address: address, sequence: service.index.nextSequence(), content: content,
            arrival: Int64(service.now() * 1_000),
            expiry: service.store.clock.now.adding(seconds: content.ttl),
            reservation: reservation)
    }
}
