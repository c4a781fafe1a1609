import Foundation
import TestSupport
import Testing

@testable import System

@Suite("Logs")
struct LogTests {
    // Unchecked: the texts are used only under the lock.
    private final class Paper: @unchecked Sendable {
        private let lock = NSLock()
        private var texts: [String] = []
        private var time: Int64 = 0

        var lines: [String] { lock.withLock { texts } }
        var now: Int64 {
            get { lock.withLock { time } }
            set { lock.withLock { time = newValue } }
        }
        func add(_ text: String) { lock.withLock { texts.append(text) } }
    }

    private let paper = Paper()

    private func log(isJournal: Bool, journal: String = "/nowhere/journal") -> Log {
        let paper = paper
        return Log(
            isJournal: isJournal, journal: journal, clock: { paper.now },
            output: { paper.add($0) })
    }

    @Test("The level is a word for a person and a number for the journal")
    func levels() {
        log(isJournal: false).write(.warning, "certificate", [("reason", "it has expired")])
        log(isJournal: true).write(.error, "store-fault", [("code", "5")])
        log(isJournal: true).write(.info, "ready")
        #expect(
            paper.lines == [
                "bellwire: warning: event=certificate reason=\"it has expired\"\n",
                "<3>event=store-fault code=5\n", "<6>event=ready\n",
            ])
    }

    @Test(
        "A value cannot pretend to be another line or field",
        arguments: [
            ("a b=c", #""a b=c""#), ("", #""""#), (#"say "hi""#, #""say \"hi\"""#),
            (#"a\b"#, #""a\\b""#), ("one\ntwo", #""one\\u{a}two""#),
            ("\u{1B}[2J", #""\\u{1b}[2J""#), ("plain:1/2", "plain:1/2"),
            ("a\"\u{301} b=c", "\"a\\\"\u{301} b=c\""), ("a=\u{301}b", "\"a=\u{301}b\""),
            ("\\\u{20D7}", "\"\\\\\u{20D7}\""),
        ])
    func values(value: String, shown: String) {
        log(isJournal: true).write(.info, "x", [("value", value)])
        #expect(paper.lines == ["<6>event=x value=\(shown)\n"])
    }

    @Test("The same line about one peer is written once a minute, whatever others cause")
    func peers() {
        let log = log(isJournal: true)
        func cut(_ peer: String) { log.write(.warning, "flood", about: peer, [("client", peer)]) }
        for _ in 0..<20 { cut("a") }
        cut("b")
        paper.now = 59_999
        cut("a")
        #expect(paper.lines == ["<4>event=flood client=a\n", "<4>event=flood client=b\n"])
        paper.now = 60_000
        cut("a")
        #expect(paper.lines.count == 3)
        for number in 0..<100_000 { cut("\(number)") }
        #expect(paper.lines.count == 12)
    }

    @Test("One kind of line cannot fill the log, and omitted lines are counted")
    func throttle() {
        let log = log(isJournal: true)
        for _ in 0..<25 { log.write(.error, "cannot-accept") }
        log.write(.info, "ready")
        #expect(paper.lines.count == 11)
        paper.now = 60_000
        log.write(.error, "cannot-accept")
        #expect(paper.lines.last == "<3>event=cannot-accept left-out=15\n")
        log.write(.error, "cannot-accept")
        #expect(paper.lines.last == "<3>event=cannot-accept\n")
    }

    @Test("Only the stream that the journal named is the journal")
    func journal() throws {
        var status = stat()
        let file = try TemporaryFolder()
        let descriptor = open(file.file("log"), O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        fstat(descriptor, &status)
        let name = "\(status.st_dev):\(status.st_ino)"
        #expect(Log.isJournal(name, descriptor: descriptor))
        #expect(!Log.isJournal("\(status.st_dev):1", descriptor: descriptor))
        #expect(!Log.isJournal(nil, descriptor: descriptor))
    }
}

@Suite("Folders for one user only")
struct PrivateFolderTests {
    @Test("Missing folders are created for their owner, the last with the requested mode")
    func make() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a/b/c")
        try PrivateFolder.make(path, mode: 0o750)
        for (path, mode) in [(path, 0o750), (folder.file("a/b"), 0o700)] {
            let rights = try FileManager.default.attributesOfItem(atPath: path)
            #expect(rights[.posixPermissions] as? Int == mode)
        }
        try PrivateFolder.make(path)
    }

    @Test(
        "A link is refused, even with a slash at its end, and so is a folder that others can write")
    func refusals() throws {
        let folder = try TemporaryFolder()
        let (path, link) = (folder.file("a"), folder.file("link"))
        try PrivateFolder.make(path)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        for name in [link, link + "/"] {
            #expect(throws: StateFolder.Failure.link(path: link)) {
                try PrivateFolder.check(name)
            }
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o702], ofItemAtPath: path)
        #expect(throws: StateFolder.Failure.writableByOthers(path: path, mode: 0o702)) {
            try PrivateFolder.check(path)
        }
        try "x".write(toFile: folder.file("file"), atomically: true, encoding: .utf8)
        #expect(throws: StateFolder.Failure.notAFolder(path: folder.file("file"))) {
            try PrivateFolder.make(folder.file("file"))
        }
    }
}
