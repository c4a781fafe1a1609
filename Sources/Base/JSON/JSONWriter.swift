/// Writes compact JSON. Commas are added automatically; unsafe text is escaped (see `Printable`).
///
/// It owns its memory, because an array would check at every byte whether it is shared.
package struct JSONWriter: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    package private(set) var count = 0
    private var needsComma = false

    /// Makes room for `capacity` bytes at the start.
    package init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        start = .allocate(capacity: self.capacity)
    }

    deinit { start.deallocate() }

    private var written: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start, count: count)
    }

    package var bytes: [UInt8] { Array(written) }

    package var text: String { String(decoding: written, as: UTF8.self) }

    /// Starts another text in the same memory.
    package mutating func removeAll() { (count, needsComma) = (0, false) }

    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        members(&self)
        close(UInt8(ascii: "}"))
    }

    package mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        elements(&self)
        close(UInt8(ascii: "]"))
    }

    mutating func open(_ bracket: UInt8) {
        separate()
        put(bracket)
        needsComma = false
    }

    mutating func close(_ bracket: UInt8) {
        put(bracket)
        needsComma = true
    }

    /// Writes the name of the next member. Names in the program need no escapes.
    package mutating func name(_ name: StaticString) {
        putQuoted(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        put(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a name that came from outside.
    package mutating func name(text: String) {
        string(text)
        put(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func member(_ name: StaticString, _ value: String) {
        self.name(name)
        string(value)
    }

    package mutating func member(text name: String, _ value: String) {
        self.name(text: name)
        string(value)
    }

    package mutating func member(_ name: StaticString, _ value: Int) {
        self.name(name)
        number(value)
    }

    package mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        let word: StaticString = value ? "true" : "false"
        put(word)
        needsComma = true
    }

    package mutating func member(_ name: StaticString, json: String) {
        self.name(name)
        raw(json)
    }

    package mutating func member(text name: String, json: String) {
        self.name(text: name)
        raw(json)
    }

    package mutating func number(_ value: Int) {
        separate()
        put(decimal: value)
        needsComma = true
    }

    package mutating func string(_ value: String) {
        if !writeIfPlain(value) { writeEscaped(value) }
        needsComma = true
    }

    /// Most text is printable ASCII without quotes and can be copied.
    private mutating func writeIfPlain(_ value: String) -> Bool {
        value.utf8.withContiguousStorageIfAvailable { utf8 in
            guard Self.isPlain(utf8) else { return false }
            putQuoted(utf8)
            return true
        } ?? false
    }

    private static func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        let words = UnsafeRawBufferPointer(utf8)
        guard utf8.count >= 8 else {
            return utf8.allSatisfy {
                0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
        }
        var index = 0
        while index < utf8.count {
            // The last eight bytes may overlap the previous ones.
            let start = min(index, utf8.count - 8)
            let word = words.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            let deletion = word &+ 0x0101_0101_0101_0101
            guard (word.unplainInJSON | deletion) & 0x8080_8080_8080_8080 == 0 else { return false }
            index += 8
        }
        return true
    }

    /// Escapes quotes, backslashes and everything that could deceive a reader.
    private mutating func writeEscaped(_ value: String) {
        var escaped = [UInt8(ascii: "\"")]
        for scalar in value.unicodeScalars { Self.append(scalar, to: &escaped) }
        escaped.append(UInt8(ascii: "\""))
        escaped.withUnsafeBufferPointer { ready($0) }
    }

    /// Writes a value that is JSON already, such as a number or `true`.
    package mutating func raw(_ json: String) {
        var json = json
        json.withUTF8 { ready($0) }
    }

    private mutating func ready(_ json: UnsafeBufferPointer<UInt8>) {
        separate()
        put(json)
        needsComma = true
    }

    private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        switch scalar {
        case "\"": bytes.append(contentsOf: #"\""#.utf8)
        case "\\": bytes.append(contentsOf: #"\\"#.utf8)
        case "\n": bytes.append(contentsOf: #"\n"#.utf8)
        case "\t": bytes.append(contentsOf: #"\t"#.utf8)
        case _ where Printable.isUnsafe(scalar): Self.escape(scalar, into: &bytes)
        default: bytes.append(contentsOf: scalar.utf8)
        }
    }

    /// Writes existing JSON so that it is safe to show and on one line. Unsafe characters other
    /// than white space can only be inside strings.
    package mutating func foreign(_ json: Substring) {
        var safe: [UInt8] = []
        for scalar in json.unicodeScalars {
            if scalar.value < 0x20 {
                safe.append(UInt8(ascii: " "))
            } else if Printable.isUnsafe(scalar) {
                Self.escape(scalar, into: &safe)
            } else {
                safe.append(contentsOf: scalar.utf8)
            }
        }
        safe.withUnsafeBufferPointer { ready($0) }
    }

    /// `\uXXXX` in lower-case hex, as a surrogate pair beyond the basic plane.
    package static func escape(_ scalar: Unicode.Scalar, into bytes: inout [UInt8]) {
        for unit in scalar.utf16 {
            bytes.append(contentsOf: #"\u"#.utf8)
            bytes.append(contentsOf: unit.hexadecimal.utf8)
        }
    }
}

extension JSONWriter {
    @inline(__always)
    private mutating func separate() {
        if needsComma { put(UInt8(ascii: ",")) }
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        reserve(1)
        start[count] = byte
        count &+= 1
    }

    /// Adds a comma if needed. Names are most of the output, so this reserves memory once and keeps
    /// no count meanwhile.
    private mutating func putQuoted(_ plain: UnsafeBufferPointer<UInt8>) {
        reserve(plain.count &+ 3)
        var end = start + count
        if needsComma {
            end.pointee = UInt8(ascii: ",")
            end += 1
        }
        end.pointee = UInt8(ascii: "\"")
        end += 1
        if let source = plain.baseAddress { end.update(from: source, count: plain.count) }
        end += plain.count
        end.pointee = UInt8(ascii: "\"")
        count = end + 1 - start
    }

    @inline(__always)
    private mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (start + count).update(from: source, count: bytes.count)
        count &+= bytes.count
    }

    @inline(__always)
    private mutating func put(_ text: StaticString) {
        put(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes from the last digit to the first, then moves them into place.
    private mutating func put(decimal value: Int) {
        let most = 20
        reserve(2 * most)
        let end = start + count + most
        var digit = end
        var rest = value.magnitude
        repeat {
            digit -= 1
            digit.pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 {
            digit -= 1
            digit.pointee = UInt8(ascii: "-")
        }
        (start + count).update(from: digit, count: end - digit)
        count &+= end - digit
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if more > capacity &- count { grow(by: more) }
    }

    @inline(never)
    private mutating func grow(by more: Int) {
        capacity += max(capacity, more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.moveInitialize(from: start, count: count)
        start.deallocate()
        start = larger
    }
}

extension UInt64 {
    /// Sets the highest bit of each of the eight bytes that cannot stand in a JSON string as they
    /// are, or are not ASCII. A borrow may also mark bytes above such a one, which does not matter.
    var unplainInJSON: UInt64 {
        let quote = self ^ 0x2222_2222_2222_2222
        let backslash = self ^ 0x5C5C_5C5C_5C5C_5C5C
        let found =
            (quote &- 0x0101_0101_0101_0101) | (backslash &- 0x0101_0101_0101_0101)
            | (self &- 0x2020_2020_2020_2020) | self
        return found & 0x8080_8080_8080_8080
    }
}

extension JSONText {
    /// The text as a JSON string.
    package static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return writer.text
    }
}

/// Whole texts, and what many of them are made of.
extension JSONWriter {
    /// An object with these members.
    package static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object(members)
        return writer.bytes
    }

    /// The same as a line.
    package static func line(_ members: (inout JSONWriter) -> Void) -> String {
        String(decoding: object(members), as: UTF8.self) + "\n"
    }

    /// A member that is a list, with an object for each of `elements`.
    package mutating func objects<Element>(
        _ name: StaticString, _ elements: [Element],
        _ members: (Element, inout JSONWriter) -> Void
    ) {
        self.name(name)
        array { writer in
            for element in elements { writer.object { members(element, &$0) } }
        }
    }
}
