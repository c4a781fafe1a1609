import Foundation

/// An answer as it came over the network.
struct HTTPAnswer {
    let status: Int
    let fields: [(name: String, value: String)]
    let body: [UInt8]

    init(from socket: ByteSocket, hasBody: Bool = true) {
        let lines = socket.head().components(separatedBy: "\r\n")
        status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
            return (line[..<colon].lowercased(), value)
        }
        let length = fields.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        body = hasBody ? socket.bytes(length) : []
    }

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    var text: String { String(decoding: body, as: UTF8.self) }

    private var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
    }

    /// The `errno` of an error; nil if it is null or absent.
    var number: Int? { json["errno"] as? Int }
    var message: String? { json["message"] as? String }

    /// Status and `errno` in one, for comparisons.
    var code: String { "\(status)/" + (number.map(String.init) ?? "-") }
}
