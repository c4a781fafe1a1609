import Base
import Configuration
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

/// The body of a request for a device: `{"name", "owner"?, "receive_only"?}`.
struct NewDevice: Equatable {
    static let nameLimit = 64

    let name: String
    let owner: String?
    let isReceiveOnly: Bool

    init(json: [UInt8]) throws(APIRefusal) {
        var flags: [String: Bool] = [:]
        var members = try Self.names(json, &flags)
        isReceiveOnly = flags.removeValue(forKey: "receive_only") ?? false
        guard let name = members.removeValue(forKey: "name") else {
            throw .badBody("name is missing")
        }
        owner = members.removeValue(forKey: "owner")
        guard members.isEmpty, flags.isEmpty else {
            throw .badBody("only name, owner and receive_only are allowed")
        }
        self.name = name
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
        for text in members.values where !isName(text) {
            throw .badBody("a name has 1 to \(nameLimit) printable characters")
        }
        return members
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
    init(_ device: NewDevice, owner: String, row: UInt32, created: Int64) throws(OpenSSLError) {
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

    /// The device as JSON, with its two addresses: Firefox needs the WebSocket address, other
    /// clients the https address.
    func json(baseURL: BaseURL) -> [UInt8] {
        let page = "\(baseURL)/u/\(bearer)"
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", Int(credential.row))
            writer.member("name", credential.name)
            writer.member("owner", credential.owner)
            writer.member("bearer", bearer)
            // http and https become ws and wss.
            writer.member("websocket", "ws" + page.dropFirst(4))
            writer.member("url", page)
            if credential.isReceiveOnly { writer.member("receive_only", true) }
        }
        return writer.bytes
    }
}
