import Base
import Crypto
import Delivery
import Foundation
import SQLite
import System
import TestSupport
import Testing
import WebPush

@testable import Mailbox

@Suite("The store when things go wrong")
struct FaultTests {
    private func fault(_ options: SQLiteStore.Options) -> StoreFault? {
        do throws(StoreFault) {
            try SQLiteStore(options).close()
            return nil
        } catch {
            return error
        }
    }

    private func filled() throws -> (TestStore, Address) {
        let test = try TestStore()
        let address = try test.register(try test.addDevice()).address
        for number in 0..<200 { try test.keep(address, String(repeating: "\(number)", count: 300)) }
        return (test, address)
    }

    @Test("A folder serves one server at a time")
    func twoServers() throws {
        let test = try TestStore()
        #expect(fault(test.options) == .folder(.inUse(path: test.path)))
        test.close()
        #expect(fault(test.options) == nil)
    }

    @Test("A folder that is a link, a file, or open to others is refused")
    func folders() throws {
        let folder = try TemporaryFolder()
        let key = try MasterKey.generate()
        func failure(_ path: String) -> StoreFault? {
            fault(SQLiteStore.Options(folder: path, masterKey: key))
        }
        let (link, file, open) = (folder.file("link"), folder.file("file"), folder.file("open"))
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: folder.path)
        #expect(failure(link) == .folder(.link(path: link)))
        try Data().write(to: URL(filePath: file))
        #expect(failure(file) == .folder(.notAFolder(path: file)))
        try FileManager.default.createDirectory(
            atPath: open, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open)
        #expect(failure(open) == .folder(.writableByOthers(path: open, mode: 0o777)))
        let made = folder.file("made")
        #expect(failure(made) == nil)
        let file2 = made + "/" + WriterDatabase.fileName
        let mode = try FileManager.default.attributesOfItem(atPath: file2)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test("A wrong master key is a clear error, and a former one still opens the store")
    func masterKey() throws {
        let (test, address) = try filled()
        test.close()
        var options = test.options
        options.masterKey = try .generate()
        #expect(fault(options) == .wrongMasterKey)
        options.formerKeys = [test.options.masterKey]
        test.options = options
        try test.restart()
        #expect(try test.waiting(address.device).count == 200)
    }

    @Test("Nothing sent or secret is readable in the files")
    func sealed() throws {
        let test = try TestStore()
        let subscription = try test.register(try test.addDevice())
        let body = "a body that nobody else shall read"
        try test.keep(subscription.address, body, topic: "a-telling-topic")
        test.close()
        let bytes = try Data(contentsOf: URL(filePath: test.path + "/" + WriterDatabase.fileName))
        for text in [Data(body.utf8), Data("telling".utf8), Data(subscription.token.bytes)] {
            #expect(bytes.range(of: text) == nil)
        }
        #expect(bytes.range(of: Data(subscription.digest.bytes)) != nil)
    }

    @Test(
        "A newer store is refused, and so is one that is damaged; both say what to do",
        .alone("it changes the file by hand"))
    func refusedFiles() throws {
        let (test, _) = try filled()
        test.close()
        let path = test.path + "/" + WriterDatabase.fileName
        try Connection(path, .readWrite).execute("PRAGMA user_version = 99")
        let newer = try #require(fault(test.options))
        #expect(newer == .newerSchema(found: 99, known: Schema.migrations.last))
        #expect(newer.hint != nil)
        try Connection(path, .readWrite).execute(
            "PRAGMA user_version = \(Schema.migrations.last)")
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: 4_096 * 12)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 3 * 4_096))
        try file.close()
        let damaged = try #require(fault(test.options))
        guard case .damaged = damaged else {
            Issue.record("\(damaged)")
            return
        }
        #expect(damaged.hint == "move the files bellwire.db* away and run bellwire restore")
    }

    @Test(
        "A newer store is refused, and none of its bytes change", arguments: [false, true])
    func untouched(isKilled: Bool) throws {
        let (test, _) = try filled()
        if !isKilled { test.close() }
        // While the store is open, its files are what a kill would leave.
        let (folder, path) = (test.folder.file("newer"), test.folder.file("newer/bellwire.db"))
        try FileManager.default.copyItem(atPath: test.path, toPath: folder)
        do {
            let connection = try Connection(path, .readWrite)
            try connection.setCheckpointAtEnd(false)
            try connection.execute("PRAGMA user_version = 99")
        }
        let before = try files(in: folder)
        #expect(before["bellwire.db-wal"]?.isEmpty == false)
        var options = test.options
        options.folder = folder
        options.setAside = { folder in
            _ = FileManager.default.createFile(atPath: folder + "/set-aside", contents: nil)
            return SetAsideInputs()
        }
        #expect(fault(options) == .newerSchema(found: 99, known: Schema.migrations.last))
        #expect(try files(in: folder) == before)
    }

    /// Without the index of the WAL, which every reader makes anew.
    private func files(in folder: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder)
        where !name.hasSuffix("-shm") {
            files[name] = FileManager.default.contents(atPath: folder + "/" + name)
        }
        return files
    }

    @Test(
        "A message that cannot be unsealed does not hold up the others",
        .alone("it changes the file by hand"))
    func damagedMessage() throws {
        let (test, address) = try filled()
        try test.restart {
            let path = test.path + "/" + WriterDatabase.fileName
            try Connection(path, .readWrite).execute(
                "UPDATE message SET sealed = zeroblob(200) WHERE position = 3")
        }
        var request: PageRequest? = PageRequest(device: address.device)
        var (count, damaged) = (0, 0)
        while let next = request {
            guard case .page(let page) = try test.load(.messages(next)) else {
                throw AnswerBox.Missing()
            }
            count += page.messages.count
            damaged += page.damaged
            request = page.next
        }
        #expect(count == 199)
        #expect(damaged == 1)
    }

    @Test(
        "A registration that cannot be unsealed is retried daily and delays no start",
        .alone("it changes the file by hand"))
    func damagedRegistration() throws {
        let test = try TestStore()
        let (registration, _) = try test.addRegistration()
        let path = test.path + "/" + WriterDatabase.fileName
        func due() throws -> Int64 {
            try Connection(path, .readOnly).integer("SELECT due FROM registration")
        }
        let first = try due()
        try test.restart {
            try Connection(path, .readWrite).execute(
                "UPDATE registration SET sealed = zeroblob(200)")
        }
        test.clocks.advance(seconds: 91 * 86_400)
        for time in 1...2 {
            try test.expectDone(.touchDevice(registration.device, at: Int64(time)))
        }
        #expect(try due() > first && due() < .max)
        try test.restart()
        try test.restart {
            try Connection(path, .readWrite).execute("UPDATE registration SET due = \(Int64.max)")
        }
    }

    @Test("A full store promises nothing it cannot keep, and recovers by itself when there is room")
    func full() throws {
        let test = try TestStore { $0.limits.filePages = 100 }
        let device = try test.addDevice()
        let address = try test.register(device).address
        var kept: [Message] = []
        var isFull = false
        for _ in 0..<1_000 where !isFull {
            let message = try test.message(address, String(repeating: "x", count: 2_000))
            if case .stored = try test.run(.store(message)) {
                kept.append(message)
            } else {
                isFull = true
            }
        }
        #expect(isFull)
        #expect(kept.count > 20)
        // Each attempt waits until the store is usable again, which takes no help.
        func retried(_ operation: StoreOperation) throws -> StoreOutcome {
            for _ in 0..<200 {
                let outcome = try test.run(operation)
                if outcome != .unavailable { return outcome }
                usleep(20_000)
            }
            return .unavailable
        }
        for message in kept.prefix(10) {
            #expect(try retried(.acknowledge(message.reference)) == .done)
        }
        kept.removeFirst(10)
        let after = try test.message(address, "after")
        guard case .stored = try retried(.store(after)) else { throw AnswerBox.Missing() }
        #expect(try test.waiting(device).map(\.id) == kept.map(\.id) + [after.id])
        #expect(test.store.isUsable)
    }

    @Test(
        "Messages reported as stored survive a kill at any time",
        .alone("the other store is not killed with it"))
    func kill() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let test = try KilledStore(parent: getppid())
            try test.fillUntilKilled()
        }
        let killed = try KilledStore(parent: getpid())
        defer { killed.remove() }
        #expect(try killed.missing().isEmpty)
    }

    @Test(
        "After an I/O error nothing is promised until the database has been checked again",
        .alone("the other store would meet the errors, too"))
    func inputOutputError() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let test = try TestStore()
            let device = try test.addDevice()
            let address = try test.register(device).address
            let first = try test.keep(address, "first")
            // From here on files cannot grow, so writing to the WAL fails.
            var limit = rlimit(rlim_cur: 64 << 10, rlim_max: rlim_t.max)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let mark = RepetitionMark(key: 7)
            guard test.answer(mark, device) == .new else { exit(4) }
            let long = String(repeating: "x", count: 100_000)
            let lost = try test.message(address, long, mark: mark)
            guard try test.run(.store(lost)) == .unavailable, !test.store.isUsable,
                try test.run(.acknowledge(first.reference)) == .unavailable
            else { exit(1) }
            // Nobody knows yet whether the message was accepted.
            guard test.answer(mark, device) == .undecided else { exit(5) }
            limit.rlim_cur = rlim_t.max
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            for _ in 0..<500 where !test.store.isUsable { usleep(20_000) }
            guard test.store.isUsable else { exit(2) }
            guard test.answer(mark, device) == .new else { exit(6) }
            let later = try test.keep(address, "later")
            guard try test.waiting(device).map(\.id) == [first.id, later.id] else { exit(3) }
            exit(0)
        }
    }
}

/// A store whose process is killed, and a file that lists what it had promised by then.
struct KilledStore {
    private let folder: String
    private let master: MasterKey

    init(parent: pid_t) throws {
        folder = NSTemporaryDirectory() + "bellwire-killed-\(parent)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let key = [UInt8](repeating: 5, count: MasterKey.length)
        let made = try MasterKey(Secret(key.span))
        master = try #require(made)
    }

    func remove() {
        // Leftovers disturb nobody.
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func adopt(_ options: inout SQLiteStore.Options) {
        options.folder = folder + "/state"
        options.masterKey = master
    }

    func fillUntilKilled() throws -> Never {
        let test = try TestStore(adopt)
        let address = try test.register(try test.addDevice()).address
        let promised = open(folder + "/promised", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        for round in 0..<1_000 {
            let messages = try (0..<100).map { _ in try test.message(address) }
            let tickets = messages.map { test.submit(.store($0)) }
            for (message, ticket) in zip(messages, tickets) {
                if round == 20, message.sequence % 100 == 50 { Glibc.kill(getpid(), SIGKILL) }
                guard case .stored = try test.box.outcome(ticket) else { continue }
                _ = message.id.bytes.withUnsafeBytes { write(promised, $0.baseAddress, $0.count) }
            }
        }
        exit(0)
    }

    /// Promised messages that are missing.
    func missing() throws -> [MessageID] {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder + "/promised")))
        let test = try TestStore(adopt)
        let stored = Set(try test.waiting(1).map(\.id))
        #expect(bytes.count > 1_000 * 16)
        let promised = stride(from: 0, to: bytes.count, by: 16).compactMap { start in
            MessageID(bytes.span.extracting(start..<start + 16))
        }
        return promised.filter { !stored.contains($0) }
    }
}
