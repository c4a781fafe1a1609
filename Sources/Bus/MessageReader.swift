import CSystemd
import Glibc

/// Reads the values of a message. The sender need not be trusted.
struct MessageReader {
    let handle: OpaquePointer
    /// Limits the memory that a message of many small values can use.
    private var room = 65_536

    init(handle: OpaquePointer) { self.handle = handle }

    mutating func values() throws(BusError) -> [BusValue] {
        try ensure(sd_bus_message_rewind(handle, 1), "sd_bus_message_rewind")
        return try rest()
    }

    /// Everything up to the end of the message, or of the innermost open container.
    private mutating func rest() throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try next() { values.append(value) }
        return values
    }

    private mutating func next() throws(BusError) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        let code = sd_bus_message_peek_type(handle, &type, &contents)
        guard try ensure(code, "sd_bus_message_peek_type") > 0 else { return nil }
        room -= 1
        guard room >= 0 else { throw BusError("sd_bus_message_read", code: E2BIG) }
        switch Unicode.Scalar(UInt8(bitPattern: type)) {
        case "y": return .byte(try basic(type, 0))
        case "b": return .boolean(try basic(type, Int32(0)) != 0)
        case "n": return .int16(try basic(type, 0))
        case "q": return .uint16(try basic(type, 0))
        case "i": return .int32(try basic(type, 0))
        case "u": return .uint32(try basic(type, 0))
        case "x": return .int64(try basic(type, 0))
        case "t": return .uint64(try basic(type, 0))
        case "d": return .double(try basic(type, 0))
        case "h": return .descriptor(try BusDescriptor(duplicating: basic(type, 0)))
        case "s": return .string(try text(type))
        case "o": return .objectPath(try text(type))
        case "g": return .signature(try text(type))
        case "a": return try array(type, of: contents)
        case "r": return .structure(try container(type, contents))
        case "e":
            let pair = try container(type, contents)
            guard pair.count == 2 else { throw BusError("sd_bus_message_read", code: EBADMSG) }
            return .entry(pair[0], pair[1])
        case "v":
            guard let value = try container(type, contents).first else {
                throw BusError("sd_bus_message_read", code: EBADMSG)
            }
            return .variant(value)
        default: throw BusError("sd_bus_message_read", code: EBADMSG)
        }
    }

    private mutating func array(
        _ type: CChar, of contents: UnsafePointer<CChar>?
    ) throws(BusError) -> BusValue {
        // The text is copied, because the pointer is valid only until the next value is read.
        let element = contents.map { String(cString: $0) } ?? ""
        guard element == "y" else { return .array(element, try container(type, contents)) }
        var start: UnsafeRawPointer?
        var count = 0
        try ensure(
            sd_bus_message_read_array(handle, CChar(UInt8(ascii: "y")), &start, &count),
            "sd_bus_message_read_array")
        return .bytes([UInt8](UnsafeRawBufferPointer(start: start, count: count)))
    }

    private mutating func container(
        _ type: CChar, _ contents: UnsafePointer<CChar>?
    ) throws(BusError) -> [BusValue] {
        try ensure(
            sd_bus_message_enter_container(handle, type, contents),
            "sd_bus_message_enter_container")
        let values = try rest()
        try ensure(sd_bus_message_exit_container(handle), "sd_bus_message_exit_container")
        return values
    }

    private func basic<Value: BitwiseCopyable>(
        _ type: CChar, _ initial: Value
    ) throws(BusError) -> Value {
        var value = initial
        try ensure(
            withUnsafeMutableBytes(of: &value) {
                sd_bus_message_read_basic(handle, type, $0.baseAddress)
            }, "sd_bus_message_read_basic")
        return value
    }

    private func text(_ type: CChar) throws(BusError) -> String {
        var start: UnsafePointer<CChar>?
        try ensure(
            sd_bus_message_read_basic(handle, type, &start), "sd_bus_message_read_basic")
        return start.map { String(cString: $0) } ?? ""
    }
}
