import Base
import Mailbox
import PushService

/// `/api/v1/owners`: the owners of devices.
final class OwnerRoutes {
    typealias Answer = DeviceRoutes.Answer

    private let service: PushContext
    private let dialogue: StoreDialogue
    private let exports: ExportRoutes

    init(_ service: PushContext, _ dialogue: StoreDialogue, _ exports: ExportRoutes) {
        self.service = service
        self.dialogue = dialogue
        self.exports = exports
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

    /// Removes the owner like `remove`, and leaves nothing in the store's files. An owner may forget
    /// itself.
    func forget(_ row: UInt32, _ caller: ControlCaller, _ answer: @escaping Answer) {
        find(row, caller, answer) { [dialogue, exports] in
            exports.endAll()
            dialogue.submit(.forgetOwner(row)) { answer(APIResult(ofRemoval: $0)) }
        }
    }

    /// Who may forget an owner may also export what is stored about it.
    func export(_ row: UInt32, _ caller: ControlCaller, _ answer: @escaping Answer) {
        find(row, caller, answer) { [exports] in exports.begin(.owner(row), caller, answer) }
    }

    /// Calls `then` if the caller may see the owner.
    private func find(
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
