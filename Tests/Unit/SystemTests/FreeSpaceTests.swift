import System
import Testing

@Suite("Free space")
struct FreeSpaceTests {
    @Test("It is known for a folder, but not for a missing one")
    func known() throws {
        let bytes = try #require(FreeSpace.bytes(at: "/"))
        #expect(bytes >= 0)
        #expect(FreeSpace.bytes(at: "/proc") == 0)
        #expect(FreeSpace.bytes(at: "/nowhere") == nil)
    }
}
