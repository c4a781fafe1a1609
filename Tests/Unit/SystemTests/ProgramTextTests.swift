import Testing

@testable import System

@Suite("Code in memory")
struct ProgramTextTests {
    @Test("Only code from files is dropped, and the program continues")
    func released() throws {
        ProgramText.release()
        #expect(
            ProgramText.codeRange("55d0-55f0 r-xp 00001000 fe:01 12 /usr/bin/a b")
                == 0x55d0..<0x55f0)
        for line in [
            "55d0-55f0 r--p 00001000 fe:01 12 /usr/bin/a", "55d0-55f0 rwxp 0 fe:01 12 /usr/bin/a",
            "7ffd0-7fff0 r-xp 00000000 00:00 0 [vdso]", "55d0-55f0 r-xp 0 00:00 0", "",
            "x-y r-xp 0 0 0 /a",
        ] {
            #expect(ProgramText.codeRange(line) == nil)
        }
    }
}
