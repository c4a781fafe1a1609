import Base
import HTTP
import Mailbox
import Topics

/// Takes the requests for streams of one loop.
final class StreamIntake {
    private let service: ServiceState
    private let door: TopicDoor
    private let maker: TopicMaker
    private let desk: StreamDesk

    init(_ service: ServiceState, _ desk: DeliveryDesk, _ door: TopicDoor) {
        self.service = service
        self.door = door
        maker = TopicMaker(service, desk)
        self.desk = StreamDesk(service, desk, door)
    }

    /// Answers with a stream of the topics with these names.
    func open(_ exchange: HTTPExchange, as form: NtfyRoute.Stream, _ names: [TopicName]) {
        do throws(NtfyRefusal) {
            guard form != .webSocket || exchange.asksForWebSocket else { throw .noUpgrade }
            var request = try StreamRequest(
                names, as: form, NtfyFields(of: exchange), now: Int64(service.now()))
            let (visitor, places) = try reach(names, exchange)
            request.isOwners = zip(names, places).allSatisfy {
                door.isOwner(visitor, of: $0, at: $1)
            }
            let list = request.list
            let stream = TopicStream(
                exchange, request, as: .ntfy(form), with: visitor.pass, at: desk,
                answering: mayAnswer(names, places, visitor) ? visitor.credential?.row : nil)
            desk.admit(stream)
            find(names[...], places[...], [:], visitor) { [self] found in
                do throws(NtfyRefusal) {
                    try follow(stream, try found.get(), list)
                } catch { stream.refuse(error) }
            }
        } catch { StreamForm.ntfy(form).refuse(error, exchange) }
    }

    /// Answers with a WebSocket of Gotify's messages: of all topics of the visitor's owner that the
    /// visitor may read, also of later ones. Call it in the turn in which the visitor was judged.
    func openGotify(_ exchange: HTTPExchange, for visitor: TopicVisitor) {
        do throws(NtfyRefusal) {
            guard exchange.asksForWebSocket else { throw .noUpgrade }
            guard let name = visitor.owner, visitor.caller.allows(.read) else { throw .forbidden }
            let request = try StreamRequest([], as: .webSocket, NtfyFields(), now: 0)
            let stream = TopicStream(exchange, request, as: .gotify, with: visitor.pass, at: desk)
            desk.admit(stream)
            desk.joinAll(stream, matching: visitor.credential?.token?.terms.pattern, of: name)
        } catch { StreamForm.gotify.refuse(error, exchange) }
    }

    private func reach(
        _ names: [TopicName], _ exchange: HTTPExchange
    ) throws(NtfyRefusal) -> (TopicVisitor, [TopicDoor.Place]) {
        try door.judge(exchange) { () throws(AccessRefusal) in
            let visitor = try door.visitor(exchange, at: .ntfy)
            var places: [TopicDoor.Place] = []
            for name in names { places.append(try door.reach(name, for: .read, visitor)) }
            return (visitor, places)
        }
    }

    /// All of them are topics of the visitor's owner, and the visitor may answer there.
    private func mayAnswer(
        _ names: [TopicName], _ places: [TopicDoor.Place], _ visitor: TopicVisitor
    ) -> Bool {
        zip(names, places).allSatisfy { name, place in
            (try? door.place(of: name, for: .answer, visitor)) == place
        }
    }

    typealias Found = Result<[UInt32: TopicName], NtfyRefusal>

    /// Makes the topics that are not there, one after the other.
    private func find(
        _ names: ArraySlice<TopicName>, _ places: ArraySlice<TopicDoor.Place>,
        _ known: [UInt32: TopicName], _ visitor: TopicVisitor, then: @escaping (Found) -> Void
    ) {
        var (known, names, places) = (known, names, places)
        while let name = names.popFirst(), let place = places.popFirst() {
            guard case .topic(let device) = place else {
                let (names, places, found) = (names, places, known)
                return maker.make(name, for: visitor, by: door) { [self] made in
                    switch made {
                    case .success(let device):
                        let found = found.merging([device: name]) { $1 }
                        find(names, places, found, visitor, then: then)
                    case .failure(let refusal): then(.failure(refusal))
                    }
                }
            }
            known[device] = name
        }
        then(.success(known))
    }

    /// Positions are those of one owner.
    private func follow(
        _ stream: TopicStream, _ topics: [UInt32: TopicName], _ list: String
    ) throws(NtfyRefusal) {
        guard !stream.isEnded else { return }
        let owners = Set(topics.keys.map { service.index.owner(ofDevice: $0) })
        guard owners.count == 1, let owner = owners.first else { throw .badTopic }
        desk.join(stream, list, topics, of: owner)
    }
}
