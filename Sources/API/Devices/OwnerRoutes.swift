import Base
import Mailbox
import PushService
import WebPush

/// `/api/v1/owners`: the owners of devices.
final class OwnerRoutes {
    typealias Answer = DeviceRoutes.Answer

    private let service: ServiceState
    private let dialogue: StoreDialogue

    init(_ service: ServiceState, _ dialogue: StoreDialogue) {
        self.service = service
        self.dialogue = dialogue
    }

    /// A caller who is not an administrator sees only itself.
    func list(_ caller: ControlCaller, _ answer: @escaping Answer) {
        withOwners(answer) { [index = service.index] owners in
            let listed = owners.filter { caller.mayUse($0.name) }
                .map { ListedOwner($0, waiting: index.usage(ofOwner: $0.row)) }
            answer(.success((200, listed.json)))
        }
    }

    func add(_ body: [UInt8], _ caller: ControlCaller, _ answer: @escaping Answer) {
        guard caller == .administrator else { return answer(.failure(.notAllowed)) }
        let name: String
        do throws(APIRefusal) { name = try DeviceRequest.owner(json: body) } catch {
            return answer(.failure(error))
        }
        dialogue.submit(.addOwner(name: name)) { [self] outcome in
            guard outcome == .done else {
                return answer(.failure(outcome == .conflict ? .ownerExists : .unavailable))
            }
            withOwners(answer) { owners in
                let made = owners.first { $0.name == name }
                    .map { ListedOwner($0, waiting: (0, 0)).json }
                answer(.success((201, made ?? [])))
            }
        }
    }

    /// Also removes the owner's devices and their subscriptions.
    func remove(_ row: UInt32, _ caller: ControlCaller, _ answer: @escaping Answer) {
        guard caller == .administrator else { return answer(.failure(.notAllowed)) }
        dialogue.submit(.removeOwner(row)) { answer(APIResult(ofRemoval: $0)) }
    }

    /// Calls `then` if the caller may see the owner.
    func find(
        _ row: UInt32, _ caller: ControlCaller, _ answer: @escaping Answer,
        then: @escaping () -> Void
    ) {
        withOwners(answer) { owners in
            guard owners.contains(where: { $0.row == row && caller.mayUse($0.name) }) else {
                return answer(.failure(.unknown))
            }
            then()
        }
    }

    private func withOwners(_ answer: @escaping Answer, then: @escaping ([Owner]) -> Void) {
        dialogue.load(.owners) { loaded in
            guard case .owners(let owners) = loaded else { return answer(.failure(.unavailable)) }
            then(owners)
        }
    }
}

extension ListedOwner {
    fileprivate init(_ owner: Owner, waiting: (messages: Int, bytes: Int)) {
        self.init {
            $0.id = Int(owner.row)
            $0.name = owner.name
            $0.devices = owner.devices
            $0.userAgents = owner.userAgents
            $0.endpoints = owner.endpoints
            $0.registrations = owner.registrations
            $0.messages = waiting.messages
            $0.bytes = waiting.bytes
            $0.keptMessages = owner.keptMessages
            $0.keptBytes = owner.keptBytes
        }
    }
}
