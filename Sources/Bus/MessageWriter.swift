import CSystemd
import Glibc

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
