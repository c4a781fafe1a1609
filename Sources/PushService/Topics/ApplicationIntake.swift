import Base
import Crypto
import Delivery
import HTTP
import Mailbox
import System
import Topics
import WebPush

/// Takes what homeservers push to the address of a topic, for an application that uses UnifiedPush.
final class ApplicationIntake {
    private let service: ServiceState
    private let desk: DeliveryDesk
    private let door: TopicDoor
    private let intake: TopicIntake

    init(
        _ service: ServiceState, _ desk: DeliveryDesk, _ door: TopicDoor, _ intake: TopicIntake
    ) {
        (self.service, self.desk) = (service, desk)
        (self.door, self.intake) = (door, intake)
    }

    /// The topic to which anybody may push by that name. A subscriber may still come to a name that
    /// an application has made up, and homeservers forget what is refused for good.
    func topic(
        named text: String, from client: IPAddress?
    ) throws(PushRefusal) -> UInt32 {
        guard let name = TopicName(text), !name.isReserved else { throw .unknownToken }
        let stranger = TopicVisitor(caller: .stranger, owner: nil, credential: nil)
        do throws(AccessRefusal) {
            if case .topic(let device) = try door.place(of: name, for: .publish, stranger) {
                return device
            }
        } catch .noSubscriber {
            guard !service.isGuessing(client) else {
                throw .tooMany(retryAfter: RetryAfter.nextSecond)
            }
            throw .unavailable
        } catch {}
        throw .unknownToken
    }

    /// Passes a text on to the readers of the topic. `reservation` has the mark by which a repetition
    /// is recognised.
    func take(
        _ text: [UInt8], to device: UInt32, _ reservation: consuming Reservation,
        then: @escaping (Verdict) -> Void
    ) {
        let held = ConsumableBox(reservation)
        intake.load(device) { [self] found in
            do throws(NtfyRefusal) {
                let entry = try found.get()
                let post = try post(text, entry.registration)
                let address = TopicIntake.address(of: entry.registration)
                let mark = held.value?.mark
                desk.submit(
                    .registration(.post(post, address, mark)),
                    .other { [service] outcome in
                        let verdict = Verdict(outcome)
                        if verdict == .accepted {
                            held.value.take()?.spend()
                            service.lastPushes.note(device, at: Int64(service.now() * 1_000))
                        }
                        then(verdict)
                    })
            } catch { then(.unavailable) }
        }
    }

    private func post(
        _ text: [UInt8], _ registration: Registration
    ) throws(NtfyRefusal) -> TopicPost {
        var content = TopicContent()
        content.text = String(decoding: text, as: UTF8.self)
        let lifetime = min(
            TopicIntake.applicationLifetime, service.historyLifetime(of: registration))
        let message = TopicMessage(
            id: try intake.messageID(), time: intake.now, keptFor: lifetime, content)
        return TopicPost(message, keptFor: lifetime)
    }
}
