import Foundation
import TestSupport
import Testing

@testable import System

@Suite("Files that appear as a whole")
struct DraftFileTests {
    private let folder: TemporaryFolder
    private var place: String { folder.file("file") }

    init() throws { folder = try TemporaryFolder() }

    private var names: [String] {
        get throws { try FolderNames.all(in: folder.path).sorted() }
    }

    @Test("The file appears when it is published, for its owner only; else nothing is left")
    func publish() throws {
        do {
            let draft = try DraftFile(for: place)
            try draft.append(Array("whole".utf8).span)
            #expect(try names == ["file.new"])
            try draft.publish()
        }
        #expect(try names == ["file"])
        #expect(try String(contentsOfFile: place, encoding: .utf8) == "whole")
        let rights = try FileManager.default.attributesOfItem(atPath: place)[.posixPermissions]
        #expect(rights as? Int == 0o600)
        do {
            let draft = try DraftFile(for: place)
            try draft.append(Array("half".utf8).span)
        }
        #expect(try names == ["file"])
        #expect(try String(contentsOfFile: place, encoding: .utf8) == "whole")
    }

    @Test("A new file never replaces one that was made in the meantime")
    func publishNew() throws {
        func publish() throws -> SystemError? {
            let draft = try DraftFile(for: place)
            try draft.append(Array("whole".utf8).span)
            do throws(SystemError) { try draft.publishNew() } catch { return error }
            return nil
        }
        #expect(try publish() == nil)
        #expect(try names == ["file"])
        #expect(try String(contentsOfFile: place, encoding: .utf8) == "whole")
        try Data("mine".utf8).write(to: URL(filePath: place))
        #expect(try publish()?.isNameTaken == true)
        #expect(try names == ["file"])
        #expect(try String(contentsOfFile: place, encoding: .utf8) == "mine")
    }

    @Test("The leftover of a kill is overwritten; a draft of somebody else at work is not")
    func leftOver() throws {
        try Data("a long leftover".utf8).write(to: URL(filePath: place + ".new"))
        let draft = try DraftFile(for: place)
        var code: SystemError?
        do throws(SystemError) { _ = try DraftFile(for: place) } catch { code = error }
        #expect(code?.isLocked == true)
        try draft.append(Array("new".utf8).span)
        try draft.publish()
        #expect(try String(contentsOfFile: place, encoding: .utf8) == "new")
    }

    @Test("A draft is never a link, nor a file that has another name as well")
    func links() throws {
        let other = folder.file("other")
        try Data("mine".utf8).write(to: URL(filePath: other))
        try FileManager.default.createSymbolicLink(
            atPath: place + ".new", withDestinationPath: other)
        #expect(throws: SystemError.self) { _ = try DraftFile(for: place) }
        try FileManager.default.removeItem(atPath: place + ".new")
        try FileManager.default.linkItem(atPath: other, toPath: place + ".new")
        #expect(throws: SystemError.self) { _ = try DraftFile(for: place) }
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "mine")
    }
}
