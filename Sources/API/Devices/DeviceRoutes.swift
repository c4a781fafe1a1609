import Base
import Crypto
import HTTP
import Mailbox
import PushService
import System

/// `/api/v1/devices`: the devices that may connect.
final class DeviceRoutes {
    typealias Answer = (APIResult) -> Void

    private let service: PushContext
    private let dialogue: StoreDialogue

    init(_ service: PushContext, _ dialogue: StoreDialogue) {
        self.service = service
        self.dialogue = dialogue
    }

    func list(_ caller: ControlCaller, _ answer: @escaping Answer) {
        withCredentials(of: caller, answer) { [presence = service.presence] credentials in
            answer(.success((200, Self.json(credentials, presence))))
        }
    }

    func add(_ body: [UInt8], _ caller: ControlCaller, _ answer: @escaping Answer) {
        let device: NewDevice
        do throws(APIRefusal) { device = try NewDevice(json: body) } catch {
            return answer(.failure(error))
        }
        let owner = device.owner ?? caller.owner
        guard caller.mayUse(owner) else { return answer(.failure(.notAllowed)) }
        keep(device, owner, answer)
    }

    func remove(_ row: UInt32, _ caller: ControlCaller, _ answer: @escaping Answer) {
        find(row, caller, answer) { [dialogue] in
            dialogue.submit(.removeCredential(row)) { answer(APIResult(ofRemoval: $0)) }
        }
    }

    /// Calls `then` if the caller may see the device.
    func find(
        _ row: UInt32, _ caller: ControlCaller, _ answer: @escaping Answer,
        then: @escaping () -> Void
    ) {
        withCredentials(of: caller, answer) { credentials in
            guard credentials.contains(where: { $0.row == row }) else {
                return answer(.failure(.unknown))
            }
            then()
        }
    }

    /// Lets in a device that a restore brought back.
    func confirm(_ row: UInt32, _ caller: ControlCaller, _ answer: @escaping Answer) {
        guard caller == .administrator else { return answer(.failure(.notAllowed)) }
        dialogue.submit(.confirmCredential(row)) { answer(APIResult(ofRemoval: $0)) }
    }

    private func keep(_ device: NewDevice, _ owner: String, _ answer: @escaping Answer) {
        let access: DeviceAccess
        do throws(OpenSSLError) {
            access = try DeviceAccess(
                device, owner: owner, row: service.index.nextCredential(),
                created: Int64(WallClock.now * 1_000))
        } catch {
            return answer(.failure(.unavailable))
        }
        let json = access.json(baseURL: service.settings.baseURL)
        dialogue.submit(.addCredential(access.credential)) { outcome in
            switch outcome {
            case .done: answer(.success((201, json)))
            case .conflict: answer(.failure(.nameInUse))
            case .full: answer(.failure(.tooManyDevices))
            default: answer(.failure(.unavailable))
            }
        }
    }

    /// The devices that the caller may see.
    private func withCredentials(
        of caller: ControlCaller, _ answer: @escaping Answer,
        then: @escaping ([DeviceCredential]) -> Void
    ) {
        dialogue.load(.credentials) { [service] loaded in
            guard case .credentials(let credentials) = loaded else {
                return answer(.failure(.unavailable))
            }
            guard service.doors.admit(caller.pass) else { return answer(.failure(.notAllowed)) }
            then(credentials.filter { caller.mayUse($0.owner) })
        }
    }

    private static func json(
        _ credentials: [DeviceCredential], _ presence: DevicePresence
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("devices")
            writer.array { writer in
                for credential in credentials { write(credential, presence, to: &writer) }
            }
        }
        return writer.bytes
    }

    /// Times in seconds since 1970.
    private static func write(
        _ credential: DeviceCredential, _ presence: DevicePresence, to writer: inout JSONWriter
    ) {
        writer.object { writer in
            writer.member("id", Int(credential.row))
            writer.member("name", credential.name)
            writer.member("owner", credential.owner)
            writer.member("created", Int(credential.created / 1_000))
            writer.member("connected", presence.isConnected(credential.row))
            if let time = presence.lastSeen(credential) {
                writer.member("last_seen", Int(time / 1_000))
            }
            if !credential.isConfirmed { writer.member("unconfirmed", true) }
            if credential.isReceiveOnly { writer.member("receive_only", true) }
        }
    }
}
