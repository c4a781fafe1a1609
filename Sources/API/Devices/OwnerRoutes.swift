import Base
import Mailbox
import PushService

/// `/api/v1/owners`: the owners of devices.
final class OwnerRoutes {
    typealias Answer = DeviceRoutes.Answer

    private let service: PushContext
    private let dialogue: StoreDialogue

    init(_ service: PushContext, _ dialogue: StoreDialogue) {
        self.service = service
        self.dialogue = dialogue
    }

    /// A caller who is not an administrator sees only itself.
    func list(_ caller: ControlCaller, _ answer: @escaping Answer) {
        withOwners(answer) { [index = service.index] owners in
            var writer = JSONWriter()
            writer.object { writer in
                writer.name("owners")
                writer.array { writer in
                    for owner in owners where caller.mayUse(owner.name) {
                        Self.write(owner, index.usage(ofOwner: owner.row), to: &writer)
                    }
                }
            }
            answer(.success((200, writer.bytes)))
        }
    }

    func add(_ body: [UInt8], _ caller: ControlCaller, _ answer: @escaping Answer) {
        guard caller == .administrator else { return answer(.failure(.notAllowed)) }
        let name: String
        do throws(APIRefusal) { name = try NewDevice.owner(json: body) } catch {
            return answer(.failure(error))
        }
        dialogue.submit(.addOwner(name: name)) { [self] outcome in
            guard outcome == .done else {
                return answer(.failure(outcome == .conflict ? .ownerExists : .unavailable))
            }
            withOwners(answer) { owners in
                var writer = JSONWriter()
                for owner in owners where owner.name == name {
                    Self.write(owner, (0, 0), to: &writer)
                }
                answer(.success((201, writer.bytes)))
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

    private static func write(
        _ owner: Owner, _ waiting: (messages: Int, bytes: Int), to writer: inout JSONWriter
    ) {
        writer.object { writer in
            writer.member("id", Int(owner.row))
            writer.member("name", owner.name)
            writer.member("devices", owner.devices)
            writer.member("user_agents", owner.userAgents)
            writer.member("endpoints", owner.endpoints)
            writer.member("registrations", owner.registrations)
            writer.member("messages", waiting.messages)
            writer.member("bytes", waiting.bytes)
        }
    }
}
