import Foundation
import Testing

@testable import System

@Suite("Files that are replaced as a whole")
struct AtomicFileTests {
    private let path: String

    init() throws {
        let folder = NSTemporaryDirectory() + "bellwire-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        path = folder + "/file"
    }

    private func replace(_ text: String, mode: UInt32 = 0o600) throws {
        try AtomicFile.replace(path, with: Array(text.utf8).span, mode: mode)
    }

    @Test(
        "The file has the new text and the requested permissions", arguments: [0o600, 0o644])
    func replace(mode: Int) throws {
        try replace("old", mode: 0o600)
        try replace("new", mode: UInt32(mode))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(rights as? Int == mode)
    }

    @Test("The leftover of an interrupted attempt does no harm")
    func leftOver() throws {
        try Data("half".utf8).write(to: URL(filePath: path + ".new"))
        try replace("whole")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "whole")
        #expect(!FileManager.default.fileExists(atPath: path + ".new"))
    }

    @Test("Each replacement changes the stamp, and reading does not")
    func stamp() throws {
        #expect(FileStamp(of: path) == nil)
        try replace("1")
        let first = try #require(FileStamp(of: path))
        _ = try String(contentsOfFile: path, encoding: .utf8)
        #expect(FileStamp(of: path) == first)
        try replace("2")
        #expect(FileStamp(of: path) != first)
        #expect(!first.isReadableByEveryone)
        try replace("2", mode: 0o644)
        #expect(FileStamp(of: path)?.isReadableByEveryone == true)
    }

    @Test("This machine has a name")
    func hostName() throws {
        let name = try String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
        #expect(HostName.current == name.trimmingCharacters(in: .newlines))
    }
}
