import Base

/// A sender that keeps its connection, with one request in flight.
class HTTPPublisher: LoadPublisher {
    let load: PushLoad
    private let number: Int
    private var connection: LoadConnection?
    private var began = 0

    required init(_ number: Int, of load: PushLoad) {
        self.number = number
        self.load = load
    }

    func connect() throws { connection = try LoadConnection(load.context, self) }

    func opened(_ connection: LoadConnection) { load.isReady(self) }

    func lost(_ reason: String) { load.lost("publisher \(number)", reason) }

    func publish(_ body: [UInt8], to destination: [UInt8]) {
        send(Array("POST ".utf8) + destination + load.requestRest + body)
    }

    /// A whole request.
    func send(_ request: [UInt8]) {
        guard let connection else { return }
        began = Clock.nanoseconds
        connection.output.append(contentsOf: request)
        connection.flush()
    }

    /// The part of every request after the path.
    static func requestRest(port: Int, ttl: Int, length: Int) -> [UInt8] {
        let lines = [
            " HTTP/1.1", "Host: \(LoadConnection.host):\(port)", "TTL: \(ttl)",
            "Content-Encoding: aes128gcm", "Content-Length: \(length)", "", "",
        ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    func received(_ bytes: inout MutableSpan<UInt8>, on connection: LoadConnection) -> Int {
        let bytes = bytes.span
        guard bytes.count >= 12, let end = bytes.end(of: "\r\n\r\n") else { return 0 }
        var length = 0
        if let start = bytes.end(of: "\r\nContent-Length: "), start < end {
            var index = start
            while bytes[index].isDigit {
                length = length * 10 + Int(bytes[index] & 15)
                index += 1
            }
        }
        guard bytes.count >= end + length else { return 0 }
        let isAccepted = bytes[9] == UInt8(ascii: "2")
        if !isAccepted { load.refused(String(decoding: bytes.array(0..<end), as: UTF8.self)) }
        load.answered(self, after: Clock.nanoseconds - began, isAccepted: isAccepted)
        return end + length
    }
}
