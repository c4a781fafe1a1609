import TestSupport
import Testing

@testable import Base

@Suite("Values as bytes, and back")
struct CoderTests {
    enum Colour: UInt8 { case red = 1, blue = 2 }

    enum Shape: Equatable, Coded {
        case point
        case circle(Int64)
        case named(String, Bool)

        static var blank: Shape { .point }

        private static func blank(_ number: UInt8) -> Shape? {
            switch number {
            case 0: Shape.point
            case 1: .circle(0)
            case 2: .named("", false)
            default: nil
            }
        }

        private var number: UInt8 {
            switch self {
            case .point: 0
            case .circle: 1
            case .named: 2
            }
        }

        mutating func code(_ coder: inout Coder) {
            coder.kind(&self, number, Self.blank)
            switch self {
            case .point: break
            case .circle(let radius): self = .circle(coder.coded(radius))
            case .named(let name, let isFull):
                self = .named(coder.coded(name), coder.coded(isFull))
            }
        }
    }

    struct Everything: Equatable, Coded {
        var byte: UInt8 = 0
        var word: UInt64 = 0
        var fixed: UInt64 = 0
        var small: UInt16 = 0
        var number: Int32 = 0
        var large: Int64 = 0
        var flag = false
        var time = 0.0
        var colour = Colour.red
        var text = ""
        var data: [UInt8] = []
        var shape = Shape.point
        var maybe: Int32?
        var list: [Shape] = []
        var map: [String: Double] = [:]

        static var blank: Everything { Everything() }

        mutating func code(_ coder: inout Coder) {
            coder.byte(&byte)
            coder.word(&word)
            coder.fixed(&fixed)
            coder.number(&small)
            coder.number(&number)
            coder.number(&large)
            coder.flag(&flag)
            coder.time(&time)
            coder.choice(&colour)
            coder.text(&text)
            coder.data(&data)
            shape.code(&coder)
            coder.optional(&maybe)
            coder.list(&list)
            coder.map(&map)
        }
    }

    private static let filled = Everything(
        byte: 200, word: .max, fixed: 1, small: .max, number: .min, large: .min, flag: true,
        time: -0.1,
        colour: .blue, text: "ä", data: [0, 255], shape: .named("x", true), maybe: 7,
        list: [.point, .circle(-1), .named("", false)], map: ["b": 1, "a": 0, "": 1e300])

    private func written(_ value: some Coded) -> [UInt8] {
        var coder = Coder()
        _ = coder.coded(value)
        return coder.written
    }

    /// Nil if it is damaged.
    private func read<Value: Coded>(_ bytes: [UInt8], as type: Value.Type) -> Value? {
        var coder = Coder(reading: bytes)
        let value = coder.coded(Value.blank)
        return coder.isWhole ? value : nil
    }

    @Test("Every kind of field is read back as written", arguments: [filled, Everything()])
    func roundTrip(value: Everything) {
        #expect(read(written(value), as: Everything.self) == value)
    }

    @Test("Writing changes nothing in the value")
    func unchanged() {
        var (value, coder) = (Self.filled, Coder())
        value.code(&coder)
        #expect(value == Self.filled && coder.isSound)
    }

    @Test("Numbers near zero take one byte, and the largest ten")
    func sizes() {
        #expect([0, -1, 1, 63, -64].map { written($0 as Int64).count } == [1, 1, 1, 1, 1])
        #expect([64, -65].map { written($0 as Int64) } == [[0x80, 1], [0x81, 1]])
        #expect(written(Int64.min).count == 10 && written(Int64.max).count == 10)
    }

    @Test("Bytes cut anywhere, or followed by others, are damaged")
    func cut() {
        let bytes = written(Self.filled)
        for prefix in prefixes(of: bytes) { #expect(read(prefix, as: Everything.self) == nil) }
        #expect(read(bytes + [0], as: Everything.self) == nil)
    }

    @Test("Whatever is read is written as it was")
    func canonical() {
        let bytes = written(Self.filled)
        for index in bytes.indices {
            for byte in 0...UInt8.max {
                var changed = bytes
                changed[index] = byte
                guard let value = read(changed, as: Everything.self) else { continue }
                #expect(written(value) == changed)
            }
        }
    }

    @Test(
        "Another form of a number is damage",
        arguments: [
            [], [0x80], [0x80, 0], [0xFF, 0], [UInt8](repeating: 0xFF, count: 9) + [2],
            [UInt8](repeating: 0xFF, count: 10), [UInt8](repeating: 0x80, count: 9) + [0],
        ])
    func numbers(bytes: [UInt8]) { #expect(read(bytes, as: Int64.self) == nil) }

    @Test("A number that does not fit is damage")
    func narrow() {
        #expect(read(written(Int64(Int32.max)), as: Int32.self) == .max)
        #expect(read(written(Int64(Int32.max) + 1), as: Int32.self) == nil)
        #expect(read(written(Int64(Int32.min) - 1), as: Int32.self) == nil)
        var coder = Coder(reading: [0x80, 0x80, 4])
        var small: UInt16 = 0
        coder.number(&small)
        #expect(!coder.isWhole && small == 0)
    }

    @Test("So is a flag, a case, a text or a time that nothing is written as")
    func others() {
        #expect(read([2], as: Bool.self) == nil)
        #expect(read([3], as: Shape.self) == nil)
        #expect(read([1, 0xFF], as: String.self) == nil && read([2, 65], as: String.self) == nil)
        for time in [Double.nan, .infinity] {
            #expect(read(written(time), as: Double.self) == nil)
        }
        var (colour, coder) = (Colour.blue, Coder(reading: [0]))
        coder.choice(&colour)
        #expect(!coder.isSound && colour == .blue)
    }

    @Test("The keys of a map ascend")
    func keys() {
        for keys in [["b", "a"], ["a", "a"]] {
            var coder = Coder()
            _ = coder.count(keys.count)
            for key in keys {
                _ = coder.coded(key)
                _ = coder.coded(0.0)
            }
            var (map, reader) = ([:] as [String: Double], Coder(reading: coder.written))
            reader.map(&map)
            #expect(!reader.isWhole)
        }
    }

    @Test("A count beyond what the bytes could hold is damage, and makes no room")
    func counts() {
        var (list, coder) = ([] as [Int64], Coder(reading: written(Int64.max)))
        coder.list(&list)
        #expect(list.isEmpty && !coder.isWhole)
    }

    @Test("After damage nothing is read, and a condition is not asked")
    func sticky() {
        var coder = Coder(reading: [7, 1, 1])
        var (flag, number) = (false, 5 as Int32)
        coder.flag(&flag)
        coder.number(&number)
        coder.require({ () -> Bool in preconditionFailure("asked") }())
        #expect(!flag && number == 5 && !coder.isSound && !coder.hasMore)
    }

    @Test("A refused condition is damage when reading only")
    func conditions() {
        var (writer, reader) = (Coder(), Coder(reading: []))
        writer.require(false)
        reader.require(false)
        #expect(writer.isSound && !reader.isWhole)
    }
}
