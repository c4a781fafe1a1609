import Foundation
import Testing

@testable import System

@Suite("Key files")
struct KeyFileTests {
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "bellwire-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    private func failure(reading path: String) -> KeyFile.Failure? {
        do throws(KeyFile.Failure) {
            _ = try KeyFile.read(path)
            return nil
        } catch {
            return error
        }
    }

    @Test("A key file is created for its owner only, and never overwritten")
    func create() throws {
        let path = folder + "/key"
        let bytes: [UInt8] = [1, 2, 3]
        try KeyFile.create(path, bytes.span)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(try KeyFile.read(path) == bytes)
        #expect(throws: KeyFile.Failure.exists(path: path)) {
            try KeyFile.create(path, bytes.span)
        }
    }

    @Test("A key file appears complete or not at all")
    func whole() throws {
        let bytes = [UInt8](repeating: 7, count: 4_096)
        let paths = (0..<200).map { "\(folder)/key \($0)" }
        let maker = Thread {
            for path in paths { try? KeyFile.create(path, bytes.span) }
        }
        maker.start()
        for path in paths {
            var found: [UInt8]?
            while found == nil { found = try? KeyFile.read(path) }
            #expect(found?.count == bytes.count)
        }
    }

    @Test("The leftover of a killed process does not prevent creating a key file")
    func leftOver() throws {
        let path = folder + "/key"
        try Data().write(to: URL(filePath: path + ".new"))
        let bytes: [UInt8] = [1, 2, 3]
        try KeyFile.create(path, bytes.span)
        #expect(try KeyFile.read(path) == bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
    }

    @Test("A file that others can read is refused", arguments: [0o640, 0o604, 0o660, 0o601])
    func readableByOthers(mode: Int) throws {
        let path = folder + "/key"
        try Data([1]).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(failure(reading: path) == .readableByOthers(path: path, mode: UInt32(mode)))
    }

    @Test("A link, a folder, a pipe and a huge file are refused")
    func notAFile() throws {
        let path = folder + "/key"
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: "/etc/hostname")
        #expect(failure(reading: path) == .notAFile(path: path))
        #expect(failure(reading: folder) == .notAFile(path: folder))
        let pipe = folder + "/pipe"
        mkfifo(pipe, 0o600)
        #expect(failure(reading: pipe) == .notAFile(path: pipe))
        let huge = folder + "/huge"
        let bytes = [UInt8](repeating: 0, count: KeyFile.sizeLimit + 1)
        try KeyFile.create(huge, bytes.span)
        #expect(failure(reading: huge) == .tooLarge(path: huge))
    }

    @Test("The error names a missing file")
    func missing() {
        let path = folder + "/none"
        #expect(failure(reading: path)?.description == "\(path): open: No such file or directory")
    }
}
