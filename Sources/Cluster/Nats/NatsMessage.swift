import CNats
import Glibc

/// A message that arrived, copied out of libnats.
struct NatsMessage: Sendable {
    let subject: String
    let body: [UInt8]
    private let fields: [String: String]

    init(_ message: OpaquePointer) {
        subject = natsMsg_GetSubject(message).map { String(cString: $0) } ?? ""
        body = Self.body(of: message)
        fields = Self.fields(of: message)
    }

    /// For tests of what is read from messages.
    init(subject: String, body: [UInt8] = [], fields: [String: String] = [:]) {
        self.subject = subject
        self.body = body
        self.fields = fields
    }

    /// A header field.
    subscript(name: String) -> String? { fields[name] }

    /// The status of an answer without content, such as 404 or 503 (no responders).
    var status: Int? { fields["Status"].flatMap { Int($0) } }

    private static func body(of message: OpaquePointer) -> [UInt8] {
        let count = Int(natsMsg_GetDataLength(message))
        guard count > 0, let data = natsMsg_GetData(message) else { return [] }
        return Array(UnsafeRawBufferPointer(start: data, count: count))
    }

    private static func fields(of message: OpaquePointer) -> [String: String] {
        var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        var count: Int32 = 0
        guard natsMsgHeader_Keys(message, &names, &count) == NATS_OK, let names else { return [:] }
        defer { free(names) }
        var fields: [String: String] = [:]
        for index in 0..<Int(count) {
            var value: UnsafePointer<CChar>?
            guard let name = names[index], natsMsgHeader_Get(message, name, &value) == NATS_OK,
                let value
            else { continue }
            fields[String(cString: name)] = String(cString: value)
        }
        return fields
    }
}
