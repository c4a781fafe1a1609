import Base
import Testing

@testable import Mailbox

@Suite("Which missing files other stores are asked for, and when")
struct MissingFilesTests {
    private static let marks = (0..<20).compactMap { number in
        FileMark([UInt8](repeating: UInt8(number), count: 16).span)
    }

    private var missing = MissingFiles()

    /// All that may be under way now.
    private mutating func begin(at now: Int64 = 0) -> [Int] {
        var begun: [Int] = []
        while let mark = missing.next(at: now) {
            begun += Self.marks.indices.filter { Self.marks[$0] == mark }
        }
        return begun
    }

    private mutating func fail(_ numbers: [Int]) {
        for number in numbers { missing.failed(Self.marks[number]) }
    }

    @Test("The newest go first, a few at once, and each once")
    mutating func order() {
        missing.add(Array(Self.marks[0..<6]))
        missing.add(Array(Self.marks[0..<6]))
        #expect(missing.count == 6)
        #expect(begin() == [5, 4, 3, 2])
        missing.add([Self.marks[6]])
        #expect(begin() == [])
        missing.remove(Self.marks[4])
        missing.remove(Self.marks[3])
        #expect(begin() == [6, 1])
        #expect(missing.count == 5)
    }

    @Test("A file that a reader waits for does not wait for others, up to a limit")
    mutating func readers() {
        missing.add(Array(Self.marks[0..<8]))
        #expect(begin() == [7, 6, 5, 4])
        for number in [0, 0, 7, 1, 15, 16, 17] { missing.want(Self.marks[number]) }
        #expect(begin() == [0, 1, 15, 16])
        missing.remove(Self.marks[7])
        #expect(begin() == [17])
        #expect(missing.count == 10)
    }

    @Test("What nobody gave is tried again after a pause that grows, behind what came meanwhile")
    mutating func rounds() {
        missing.add(Array(Self.marks[0..<3]))
        var now: Int64 = 0
        for pause in [1_000, 2_000, 4_000] as [Int64] {
            #expect(begin(at: now) == [2, 1, 0])
            #expect(missing.due == nil)
            fail([2, 1, 0])
            #expect(begin(at: now) == [])
            #expect(missing.due == now + pause)
            now += pause
        }
        missing.add([Self.marks[3]])
        #expect(begin(at: now - 1) == [3])
        #expect(begin(at: now) == [2, 1, 0])
        fail([3, 2, 1, 0])
        for _ in 0..<9 {
            _ = begin(at: now)
            let due = missing.due ?? now
            #expect(due - now <= 60_000)
            now = due
            fail(begin(at: now))
        }
        for number in 0..<4 { missing.remove(Self.marks[number]) }
        _ = begin(at: now)
        _ = begin(at: missing.due ?? now)
        missing.add([Self.marks[9]])
        fail(begin(at: 0))
        #expect(begin(at: 0) == [])
        #expect(missing.due == 1_000)
    }

    @Test("Readers who ask again and again do not put off the others")
    mutating func impatient() {
        missing.add(Array(Self.marks[0..<2]))
        fail(begin())
        #expect(begin() == [])
        for now in [100, 500, 900] as [Int64] {
            missing.want(Self.marks[0])
            #expect(begin(at: now) == [0])
            fail([0])
            #expect(begin(at: now) == [])
        }
        #expect(missing.due == 1_000)
        #expect(begin(at: 1_000) == [1, 0])
    }

    @Test("A file that ended is not asked for, and one that comes back is")
    mutating func ended() {
        missing.add(Array(Self.marks[0..<6]))
        #expect(begin() == [5, 4, 3, 2])
        missing.want(Self.marks[0])
        for number in 0..<6 { missing.remove(Self.marks[number]) }
        fail([5])
        #expect(begin() == [] && missing.count == 0 && missing.due == nil)
        missing.add([Self.marks[5]])
        #expect(begin() == [5])
    }
}
