import Foundation
import Synchronization
import TestSupport
import Testing

@testable import System

@Suite("The journal")
struct JournalTests {
    /// A socket that takes datagrams as journald does.
    private final class Journal: Sendable {
        let path: String
        private let descriptor: Int32

        init(_ path: String) throws {
            self.path = path
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(bound == 0)
        }

        deinit { close(descriptor) }

        /// The next datagram; nil if there is none.
        var next: String? {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    private final class Lines: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    private let folder: TemporaryFolder
    private let lines = Lines()

    init() throws { folder = try TemporaryFolder() }

    private func log(to path: String, isJournal: Bool = true) -> Log {
        let lines = lines
        return Log(isJournal: isJournal, journal: path, clock: { 0 }, output: { lines.add($0) })
    }

    @Test("Each value is a field, and the message is the line that a person reads")
    func fields() throws {
        let journal = try Journal(folder.file("journal"))
        log(to: journal.path).write(
            .warning, "flood", [("kind", "pings"), ("left-out", "3"), ("reason", "too many")])
        #expect(
            journal.next == """
                MESSAGE=event=flood kind=pings left-out=3 reason="too many"
                PRIORITY=4
                SYSLOG_IDENTIFIER=bellwire
                BELLWIRE_EVENT=flood
                BELLWIRE_KIND=pings
                BELLWIRE_LEFT_OUT=3
                BELLWIRE_REASON=too many

                """)
        #expect(journal.next == nil && lines.all.isEmpty)
    }

    @Test(
        "A value cannot become a field of its own",
        arguments: ["a\nPRIORITY=0", "\r\nb=c", "\u{0}", "\u{2028}x", "\u{85}x"])
    func oneField(value: String) throws {
        let journal = try Journal(folder.file("journal"))
        log(to: journal.path).write(.info, "x", [("value", value)])
        let entry = try #require(journal.next)
        #expect(entry.utf8.count(where: { $0 == UInt8(ascii: "\n") }) == 5)
        #expect(!entry.contains("\nPRIORITY=0") && !entry.contains("\nb=c"))
        #expect(!entry.unicodeScalars.contains { $0 != "\n" && $0.value < 32 })
        #expect(!entry.unicodeScalars.contains("\u{2028}"))
    }

    @Test("Long values stay within a datagram")
    func long() throws {
        let journal = try Journal(folder.file("journal"))
        let value = String(repeating: "ü", count: 100_000)
        log(to: journal.path).write(.info, "x", [("a", value), ("b", value)])
        let entry = try #require(journal.next)
        #expect(entry.contains("\nBELLWIRE_B=üü") && entry.hasSuffix("…\n"))
        #expect(lines.all.isEmpty)
    }

    @Test("Without the journal's socket, lines go to standard error")
    func missing() {
        log(to: folder.file("missing")).write(.error, "store-fault", [("code", "5")])
        #expect(lines.all == ["<3>event=store-fault code=5\n"])
    }

    @Test("A journal that reads nothing delays nobody, and loses no line")
    func full() throws {
        let journal = try Journal(folder.file("journal"))
        let log = log(to: journal.path)
        for number in 0..<5_000 { log.writeAlways(.info, "request", [("number", "\(number)")]) }
        #expect(lines.all.last == "<6>event=request number=4999\n")
        var taken = 0
        while journal.next != nil { taken += 1 }
        #expect(taken > 0 && taken + lines.all.count == 5_000)
    }

    @Test("A terminal or a file gets the line alone")
    func elsewhere() throws {
        let journal = try Journal(folder.file("journal"))
        log(to: journal.path, isJournal: false).write(.info, "ready")
        #expect(journal.next == nil && lines.all == ["bellwire: info: event=ready\n"])
    }
}
