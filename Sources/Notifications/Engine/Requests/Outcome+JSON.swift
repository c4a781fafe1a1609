package import Base

extension Outcome {
    /// The answer as a JSON object, with the client's `@extra`.
    package func answer(extra: JSONNode? = nil) -> [UInt8] {
        var bytes: [UInt8]
        switch self {
        case .ok: bytes = Array(#"{"@type":"ok"}"#.utf8)
        case .object(let text): bytes = Array(text.utf8)
        case .error(let code, let message):
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("@type", "error")
                writer.member("code", code)
                writer.member("message", message)
            }
            bytes = writer.bytes
        }
        guard let extra else { return bytes }
        var writer = JSONWriter()
        writer.value(extra)
        bytes.removeLast()
        return bytes + Array(#","@extra":"#.utf8) + writer.bytes + [UInt8(ascii: "}")]
    }
}
