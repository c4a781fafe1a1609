import Base
import Dialects
import Notifications
import System

/// Serves one client of an engine: lines of JSON in, lines of JSON out.
///
/// What was done is on the disk before the client hears of it.
struct EngineHost: ~Copyable {
    private var engine: Engine
    private var database: EngineDatabase
    private var output: [UInt8] = []
    private var entries: [(time: Double, entry: EngineEntry)] = []

    /// How much is done before it is written together.
    private static let batchLimit = 256

    init(folder: String) throws {
        let now = WallClock.now
        var database = try EngineDatabase(folder)
        var engine = Engine(try database.load(now: now))
        engine.start(now: now)
        engine.refreshDevices()
        self.engine = engine
        self.database = database
    }

    /// Until the client closes the engine or says nothing more.
    mutating func run() throws {
        var lines = LineReader(limit: 16 << 20)
        writeUpdates()
        try commit()
        while engine.isRunning {
            let wait = engine.nextDeadline.map { max($0 - WallClock.now, 0) }
            guard try lines.hasNext || StandardInput.isReady(within: wait) else {
                perform(.time)
                try commit()
                continue
            }
            guard try lines.hasNext || lines.fill() else { continue }
            try serve(&lines)
        }
    }

    /// Everything that has arrived, in one go.
    private mutating func serve(_ lines: inout LineReader) throws {
        var count = 0
        while engine.isRunning, lines.hasNext, count < Self.batchLimit {
            guard let line = try lines.next() else {
                engine.close(now: WallClock.now)
                writeUpdates()
                break
            }
            count += 1
            switch line {
            case .bytes(let bytes):
                if bytes.isEmpty || bytes == [UInt8(ascii: "\r")] { continue }
                answer(bytes)
            case .tooLong: write(.error(code: 400, message: "Request is too long"), extra: nil)
            }
        }
        try commit()
    }

    private mutating func answer(_ line: [UInt8]) {
        guard let request = try? JSONDocument(line).root, request.kind == .object else {
            return write(.error(code: 400, message: "Failed to parse JSON object"), extra: nil)
        }
        let extra = request["@extra"]
        switch request["@type"]?.text {
        case "getPushReceiverId": write(receiverID(request), extra: extra)
        case "processPushNotification":
            let payload = Array((request["payload"]?.text ?? "").utf8)
            write(perform(.push(payload: payload, .telegram, .webpush)) ?? .ok, extra: extra)
        case "bellwire.processPush":
            write(push(request), extra: extra)
        default:
            let unknown = Outcome.error(code: 400, message: "Unknown class")
            write(perform(.request(line)) ?? unknown, extra: extra)
        }
    }

    /// A payload of any dialect, as its transport delivered it.
    private mutating func push(_ request: JSONNode) -> Outcome {
        guard let dialect = Dialect(rawValue: request["dialect"]?.text ?? "auto") else {
            return .error(code: 400, message: "Dialect is unknown")
        }
        let payload = Array((request["payload"]?.text ?? "").utf8)
        return perform(.push(payload: payload, dialect, .webpush)) ?? .ok
    }

    private func receiverID(_ request: JSONNode) -> Outcome {
        do throws(PushReceiver.Refusal) {
            let id = try PushReceiver.id(of: Array((request["payload"]?.text ?? "").utf8))
            return .object("{\"@type\":\"pushReceiverId\",\"id\":\"\(id)\"}")
        } catch {
            return .error(code: 400, message: error.message)
        }
    }

    @discardableResult
    private mutating func perform(_ entry: EngineEntry) -> Outcome? {
        let now = WallClock.now
        let outcome = engine.perform(entry, now: now)
        if outcome != nil { entries.append((now, entry)) }
        writeUpdates()
        return outcome
    }

    private mutating func writeUpdates() {
        for update in engine.takeUpdates() {
            var writer = JSONWriter()
            update.write(to: &writer)
            output += writer.bytes
            output.append(UInt8(ascii: "\n"))
        }
    }

    /// The answer comes after the updates that it caused.
    private mutating func write(_ outcome: Outcome, extra: JSONNode?) {
        output += outcome.answer(extra: extra)
        output.append(UInt8(ascii: "\n"))
    }

    private mutating func commit() throws {
        if !entries.isEmpty { try database.append(entries) }
        entries = []
        if !engine.isRunning || database.isJournalLong { try database.save(engine.account) }
        try StandardOutput.write(output.span)
        output = []
    }
}

extension Outcome {
    /// The object that answers a request, with what the client wants to recognise it by.
    fileprivate func answer(extra: JSONNode?) -> [UInt8] {
        var bytes: [UInt8]
        switch self {
        case .ok: bytes = Array(#"{"@type":"ok"}"#.utf8)
        case .object(let text): bytes = Array(text.utf8)
        case .error(let code, let message):
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("@type", "error")
                writer.member("code", code)
                writer.member("message", message)
            }
            bytes = writer.bytes
        }
        guard let extra else { return bytes }
        var writer = JSONWriter()
        writer.foreign(String(decoding: extra.source, as: UTF8.self)[...])
        bytes.removeLast()
        return bytes + Array(#","@extra":"#.utf8) + writer.bytes + [UInt8(ascii: "}")]
    }
}
