import Base
import Configuration
import Crypto
import HTTP
import Mailbox
import PushService
import System
import WebPush

/// `/api/v1/devices`: the devices that may connect.
final class DeviceRoutes {
    typealias Answer = (APIResult) -> Void

    private let service: ServiceState
    private let dialogue: StoreDialogue

    init(_ service: ServiceState, _ dialogue: StoreDialogue) {
        self.service = service
        self.dialogue = dialogue
    }

    func list(_ caller: ControlCaller, _ answer: @escaping Answer) {
        withCredentials(of: caller, answer) { [presence = service.presence] credentials in
            let devices = credentials.map { ListedDevice($0, presence) }
            answer(.success((200, devices.json)))
        }
    }

    func add(_ body: [UInt8], _ caller: ControlCaller, _ answer: @escaping Answer) {
        let device: DeviceRequest
        do throws(APIRefusal) { device = try DeviceRequest(body: body) } catch {
            return answer(.failure(error))
        }
        add(device, caller) { made in answer(made.map { (201, $0.json) }) }
    }

    func add(
        _ device: DeviceRequest, _ caller: ControlCaller,
        then: @escaping (Result<MadeDevice, APIRefusal>) -> Void
    ) {
        let owner = device.owner ?? caller.owner
        do throws(APIRefusal) { try DeviceRequest.check([device.name, owner]) } catch {
            return then(.failure(error))
        }
        guard caller.mayUse(owner) else { return then(.failure(.notAllowed)) }
        keep(device, owner, then)
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

    private func keep(
        _ device: DeviceRequest, _ owner: String,
        _ then: @escaping (Result<MadeDevice, APIRefusal>) -> Void
    ) {
        let access: DeviceAccess
        do throws(OpenSSLError) {
            access = try DeviceAccess(
                device, owner: owner, row: service.index.nextCredential(),
                created: Int64(WallClock.now * 1_000))
        } catch {
            return then(.failure(.unavailable))
        }
        let made = access.made(baseURL: service.settings.baseURL)
        dialogue.submit(.addCredential(access.credential)) { outcome in
            switch outcome {
            case .done: then(.success(made))
            case .conflict: then(.failure(.nameInUse))
            case .full: then(.failure(.tooManyDevices))
            default: then(.failure(.unavailable))
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
            guard service.admission.admit(caller.pass) else { return answer(.failure(.notAllowed)) }
            then(credentials.filter { caller.mayUse($0.owner) })
        }
    }
}

extension ListedDevice {
    init(_ credential: DeviceCredential, _ presence: DevicePresence) {
        self.init {
            $0.id = Int(credential.row)
            $0.name = credential.name
            $0.owner = credential.owner
            $0.created = Int(credential.created / 1_000)
            $0.isConnected = presence.isConnected(credential.row)
            $0.lastSeen = presence.lastSeen(credential).map { Int($0 / 1_000) }
            $0.isConfirmed = credential.isConfirmed
            $0.isReceiveOnly = credential.isReceiveOnly
        }
    }
}

/// Bodies of requests, in which nothing may be that is not understood.
extension DeviceRequest {
    static let nameLimit = 64

    init(body json: [UInt8]) throws(APIRefusal) {
        var flags: [String: Bool] = [:]
        var members = try Self.names(json, &flags)
        let isReceiveOnly = flags.removeValue(forKey: "receive_only") ?? false
        guard let name = members.removeValue(forKey: "name") else {
            throw .badBody("name is missing")
        }
        let owner = members.removeValue(forKey: "owner")
        guard members.isEmpty, flags.isEmpty else {
            throw .badBody("only name, owner and receive_only are allowed")
        }
        self.init(name, owner: owner, isReceiveOnly: isReceiveOnly)
    }

    /// The body of a request for an owner: `{"name"}`.
    static func owner(json: [UInt8]) throws(APIRefusal) -> String {
        var flags: [String: Bool] = [:]
        let members = try names(json, &flags)
        guard let name = members["name"] else { throw .badBody("name is missing") }
        guard members.count == 1, flags.isEmpty else { throw .badBody("only name is allowed") }
        return name
    }

    private static func names(
        _ json: [UInt8], _ flags: inout [String: Bool]
    ) throws(APIRefusal) -> [String: String] {
        var members: [String: String] = [:]
        do throws(JSONScanner.Failure) {
            var scanner = JSONScanner(json)
            try scanner.forEachMember { name, scanner throws(JSONScanner.Failure) in
                let name = scanner.string(name)
                let isNew = members[name] == nil && flags[name] == nil
                switch try scanner.next() {
                case .string(let value) where isNew: members[name] = scanner.string(value)
                case .bool(let value) where isNew: flags[name] = value
                default: throw .invalid(at: scanner.position)
                }
            }
            try scanner.expectEnd()
        } catch {
            throw .badBody("the body is not a JSON object of texts, true and false")
        }
        try check(Array(members.values))
        return members
    }

    static func check(_ names: [String]) throws(APIRefusal) {
        guard names.allSatisfy(isName) else {
            throw .badBody("a name has 1 to \(nameLimit) printable characters")
        }
    }

    private static func isName(_ text: String) -> Bool {
        (1...nameLimit).contains(text.count)
            && text.utf8.count <= 4 * nameLimit
            && !text.unicodeScalars.contains(where: Printable.isUnsafe)
            && text.first?.isWhitespace == false && text.last?.isWhitespace == false
    }
}

/// A new device with its secret, which is known only at this moment.
struct DeviceAccess: Confidential {
    let credential: DeviceCredential
    private let bearer: String

    /// Makes the secret.
    init(_ device: DeviceRequest, owner: String, row: UInt32, created: Int64) throws(OpenSSLError) {
        let secret = try Random.secret(count: DeviceCredential.secretLength)
        var hash = try SHA256()
        let digest = try secret.withSpan { secret throws(OpenSSLError) in
            Digest(try hash.digest(of: secret))
        }
        credential = DeviceCredential(
            row: row, secret: digest, name: device.name, owner: owner, created: created,
            isReceiveOnly: device.isReceiveOnly)
        bearer = secret.withSpan(Base64URL.text)
    }

    func made(baseURL: BaseURL) -> MadeDevice {
        let page = "\(baseURL)/u/\(bearer)"
        return MadeDevice {
            $0.id = Int(credential.row)
            $0.name = credential.name
            $0.owner = credential.owner
            $0.bearer = bearer
            // http and https become ws and wss.
            $0.websocket = "ws" + page.dropFirst(4)
            $0.url = page
            $0.isReceiveOnly = credential.isReceiveOnly
        }
    }
}
