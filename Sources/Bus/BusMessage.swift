import CSystemd
import Glibc

/// Owns one message of sd-bus.
struct BusMessage: ~Copyable {
    let handle: OpaquePointer

    /// Takes ownership of a new message.
    init(owning handle: OpaquePointer) { self.handle = handle }

    /// Adds a reference to somebody else's message.
    init(sharing handle: OpaquePointer) { self.handle = sd_bus_message_ref(handle) }

    deinit { sd_bus_message_unref(handle) }

    var sender: String { text(sd_bus_message_get_sender(handle)) }
    var path: String { text(sd_bus_message_get_path(handle)) }
    var interface: String { text(sd_bus_message_get_interface(handle)) }
    var member: String { text(sd_bus_message_get_member(handle)) }
    var signature: String { text(sd_bus_message_get_signature(handle, 1)) }
    var expectsReply: Bool { sd_bus_message_get_expect_reply(handle) > 0 }

    /// The error that it carries, if it is one.
    var failure: BusFailure? {
        guard sd_bus_message_is_method_error(handle, nil) > 0 else { return nil }
        guard let error = sd_bus_message_get_error(handle) else {
            return BusFailure(name: BusErrorName.failed)
        }
        return BusFailure(name: text(error.pointee.name), text: text(error.pointee.message))
    }

    func append(_ values: [BusValue]) throws(BusError) {
        for value in values { try MessageWriter(handle: handle).append(value) }
    }

    func arguments() throws(BusError) -> [BusValue] {
        var reader = MessageReader(handle: handle)
        return try reader.values()
    }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String {
        // sd-bus accepts only valid UTF-8, whoever the sender is.
        pointer.map { String(cString: $0) } ?? ""
    }
}

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

/// Appends values to a message before it is sent.
struct MessageWriter {
    let handle: OpaquePointer

    func append(_ value: BusValue) throws(BusError) {
        switch value {
        case .byte(let number): try basic("y", number)
        case .boolean(let flag): try basic("b", Int32(flag ? 1 : 0))
        case .int16(let number): try basic("n", number)
        case .uint16(let number): try basic("q", number)
        case .int32(let number): try basic("i", number)
        case .uint32(let number): try basic("u", number)
        case .int64(let number): try basic("x", number)
        case .uint64(let number): try basic("t", number)
        case .double(let number): try basic("d", number)
        case .descriptor(let descriptor): try basic("h", descriptor.number)
        case .string(let text): try append("s", text: text)
        case .objectPath(let text): try append("o", text: text)
        case .signature(let text): try append("g", text: text)
        case .bytes(let bytes):
            let code = bytes.withUnsafeBytes {
                sd_bus_message_append_array(handle, type("y"), $0.baseAddress, $0.count)
            }
            try ensure(code, "sd_bus_message_append_array")
        case .array(let element, let values): try append("a", contents: element, values)
        case .structure(let members):
            try append("r", contents: members.signature, members)
        case .entry(let key, let value):
            try append("e", contents: key.signature + value.signature, [key, value])
        case .variant(let value): try append("v", contents: value.signature, [value])
        }
    }

    private func append(
        _ container: Unicode.Scalar, contents: String, _ values: [BusValue]
    ) throws(BusError) {
        try ensure(
            sd_bus_message_open_container(handle, type(container), contents),
            "sd_bus_message_open_container")
        for value in values { try append(value) }
        try ensure(sd_bus_message_close_container(handle), "sd_bus_message_close_container")
    }

    private func append(_ type: Unicode.Scalar, text: String) throws(BusError) {
        // sd-bus would end the text there and silently lose the rest.
        guard !text.utf8.contains(0) else {
            throw BusError("sd_bus_message_append_basic", code: EINVAL)
        }
        let code = text.withCString {
            sd_bus_message_append_basic(handle, self.type(type), UnsafeRawPointer($0))
        }
        try ensure(code, "sd_bus_message_append_basic")
    }

    private func basic<Value: BitwiseCopyable>(
        _ type: Unicode.Scalar, _ value: Value
    ) throws(BusError) {
        let code = withUnsafeBytes(of: value) {
            sd_bus_message_append_basic(handle, self.type(type), $0.baseAddress)
        }
        try ensure(code, "sd_bus_message_append_basic")
    }

    private func type(_ letter: Unicode.Scalar) -> CChar { CChar(letter.value) }
}
