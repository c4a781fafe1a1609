import Base
import Configuration
import Crypto
import Delivery
import Glibc
import Mailbox
import Outbound
import PushService
import System
import WebPush

/// A store and its callbacks, driven by words.
final class CallbackProbe {
    struct BadCommand: Error {}

    private let store: SQLiteStore
    private let service: CallbackService
    private let outcomes = Outcomes()
    private var random = RandomSupply()

    init(_ folder: String) throws {
        var options = SQLiteStore.Options(
            folder: folder + "/state", masterKey: try Self.masterKey(folder + "/master.json"))
        options.onFault = { print("fault: \($0)") }
        store = try SQLiteStore(options)
        let push = ServiceState(
            store: store, endpointKey: store.endpointKey,
            settings: PushServiceSettings(
                baseURL: try BaseURL("https://push.example"), version: "probe"))
        service = try CallbackService(
            for: push, CallbackService.Surroundings(clock: store.clock), describe: { _ in "{}" })
        try service.start()
    }

    private static func masterKey(_ path: String) throws -> MasterKey {
        if FileStamp(of: path) == nil {
            let json = try StoredKey.generate(.master).json()
            try KeyFile.create(path, json.span)
        }
        guard case .master(let key) = try StoredKey(json: try KeyFile.read(path)) else {
            throw BadCommand()
        }
        return key
    }

    func end() {
        service.end()
        store.close()
    }

    func perform(_ line: String) throws -> String {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count >= 2, let number = UInt32(words[1]) else { throw BadCommand() }
        switch (words[0], words.dropFirst(2).first) {
        case ("make", let url?):
            let (operation, secret) = try make(number, url)
            try run([operation])
            return WebhookSecret.text(of: secret)
        case ("crowd", let port?):
            try run((0..<number).map { try make(1_000 + $0, crowdURL($0, port)).operation })
        case ("add", let text?):
            let event = CallbackEvent.message(
                Message(
                    id: try MessageID(from: &random), location: try LocationID(from: &random),
                    address: Address(subscription: 1, device: 1), sequence: 1,
                    content: MessageContent(
                        body: Array(text.utf8), headers: PayloadHeaders(encoding: .aes128gcm),
                        ttl: 60),
                    arrival: now, expiry: store.clock.now.adding(seconds: 60)))
            try run([.add(try entry(event), to: number)])
        case ("rotate", nil):
            let secret = try WebhookSecret.make()
            try run([.rotateSecret(callback: number, secret)])
            return WebhookSecret.text(of: secret)
        case ("end", nil):
            try run([
                .end(
                    callback: number, last: try entry(.deleted(unregisterDevice: "{}")))
            ])
        default: throw BadCommand()
        }
        return "done"
    }

    private func make(
        _ row: UInt32, _ url: String
    ) throws -> (operation: CallbackOperation, secret: Secret) {
        let secret = try WebhookSecret.make()
        let callback = Callback(
            row: row, url: url, userID: getuid(),
            secrets: [Callback.SigningSecret(secret)])
        return (.make(callback, introduction: try entry(.created(registerDevice: "{}"))), secret)
    }

    private func crowdURL(_ index: UInt32, _ port: String) -> String {
        "http://127.\(1 + index / 62_500).\(index / 250 % 250).\(1 + index % 250):\(port)/"
    }

    private func entry(_ event: CallbackEvent) throws -> OutboxEvent {
        event.entry(
            try MessageID(from: &random), registration: "r", account: "a", at: now)
    }

    private var now: Int64 { Int64(WallClock.now * 1_000) }

    /// Waits until all of them are on the disk.
    private func run(_ operations: [CallbackOperation]) throws {
        outcomes.expect(operations.count)
        for operation in operations {
            store.submit(.callback(operation), ticket: 0, to: outcomes)
        }
        guard outcomes.wait() else { throw BadCommand() }
    }
}

/// Counts what the store is done with.
// Unchecked: its mutable state is touched under the lock.
private final class Outcomes: StoreSink, @unchecked Sendable {
    private let state = Lock<(missing: Int, areDone: Bool)>((0, true))
    private let pipe: (Int32, Int32)

    init() {
        var ends: [Int32] = [0, 0]
        _ = Glibc.pipe(&ends)
        pipe = (ends[0], ends[1])
    }

    func expect(_ count: Int) { state.withLock { $0 = (count, true) } }

    func completed(_ completions: [CompletedOperation]) {
        let isLast = state.withLock { state in
            state.missing -= completions.count
            state.areDone = state.areDone && completions.allSatisfy { $0.outcome == .done }
            return state.missing == 0
        }
        var byte: UInt8 = 0
        if isLast { _ = write(pipe.1, &byte, 1) }
    }

    func loaded(_ answer: LoadAnswer, ticket: UInt64) {}

    func wait() -> Bool {
        var byte: UInt8 = 0
        _ = read(pipe.0, &byte, 1)
        return state.withLock { $0.areDone }
    }
}
