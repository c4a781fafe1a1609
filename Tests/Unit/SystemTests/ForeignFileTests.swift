import Glibc
import TestSupport
import Testing

@testable import System

@Suite("Files of other programs")
struct ForeignFileTests {
    @Test("A regular file is read, anything else is refused without blocking")
    func kinds() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/mark"
        #expect(throws: ForeignFile.Failure.missing) { try ForeignFile.read(path) }
        try AtomicFile.replace(path, with: ([1, 2, 3] as [UInt8]).span, mode: 0o600)
        #expect(try ForeignFile.read(path) == [1, 2, 3])

        #expect(symlink(path, folder.path + "/link") == 0)
        #expect(throws: ForeignFile.Failure.irregular) {
            try ForeignFile.read(folder.path + "/link")
        }
        #expect(try ForeignFile.read(folder.path + "/link", followsLink: true) == [1, 2, 3])

        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        for other in [folder.path + "/pipe", folder.path, "/dev/zero"] {
            #expect(throws: ForeignFile.Failure.irregular) { try ForeignFile.read(other) }
            #expect(throws: ForeignFile.Failure.irregular) {
                try ForeignFile.read(other, followsLink: true)
            }
        }
        #expect(truncate(path, 1 << 40) == 0)
        #expect(throws: ForeignFile.Failure.tooLarge) { try ForeignFile.read(path) }
    }
}
