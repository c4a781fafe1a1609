import Crypto

/// Records of TLS 1.3. Random bytes have no right tag, so the input says what a client seals.
extension FuzzTarget {
    private static let room = 64 * 1024
    private static let secret = [UInt8](repeating: 9, count: 32)

    /// Each record is a kind, its length in two bytes, and that many bytes. It must mean the same
    /// however it is cut.
    static func readTLSRecords(_ bytes: [UInt8]) {
        let ciphers = RecordCiphers()
        guard let wire = try? sealed(bytes[...], ciphers),
            let whole = try? steps(wire, pieceLength: wire.count, ciphers),
            let cut = try? steps(wire, pieceLength: 1, ciphers)
        else { return }
        precondition(whole == cut, "cut differently, read differently")
    }

    /// What a client sends that holds its keys and no rules.
    private static func sealed(
        _ bytes: ArraySlice<UInt8>, _ ciphers: RecordCiphers
    ) throws -> [UInt8] {
        let output = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: room)
        output.initialize(repeating: 0)
        defer { output.deallocate() }
        var keys = try TrafficKeys(.aes128, secret: secret.span, sequence: 0)
        let connection = ciphers.nextConnection()
        var (wire, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes)
        while rest.count >= 3, wire.count < room / 4 {
            let head = Array(rest.prefix(3))
            let count = min((Int(head[2]) << 8 | Int(head[1])) % (1 << 14), rest.count - 3)
            let content = Array(rest.dropFirst(3).prefix(count))
            rest = rest.dropFirst(3 + count)
            // Not sealed at all.
            if head[0] == 1 {
                wire += content
                continue
            }
            let length = try ciphers.seal(
                content.span, head[0], to: output, &keys, of: connection)
            wire += output[..<length]
            if head[0] == ContentType.handshake, content.count == 5 { _ = try keys.update() }
        }
        return wire
    }

    /// What a server makes of it, with all data.
    private static func steps(
        _ wire: [UInt8], pieceLength: Int, _ ciphers: RecordCiphers
    ) throws -> [String] {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(wire.count, 1))
        _ = memory.initialize(fromContentsOf: wire)
        defer { memory.deallocate() }
        var layer = RecordLayer(
            ciphers.nextConnection(),
            reading: try TrafficKeys(.aes128, secret: secret.span, sequence: 0),
            writing: try TrafficKeys(.aes128, secret: secret.span, sequence: 0))
        var (steps, start, end): ([String], Int, Int) = ([], 0, 0)
        while end < wire.count {
            end = min(end + max(pieceLength, 1), wire.count)
            reading: while true {
                let step = try layer.open(memory.extracting(start..<end), ciphers)
                switch step {
                case .incomplete: break reading
                case .data(let length, let range):
                    steps.append("\(Array(memory.extracting(start..<end)[range]))")
                    start += length
                case .idle(let length, _):
                    steps.append("\(step)")
                    start += length
                case .closeNotify, .alert, .refused, .flood: return steps + ["\(step)"]
                }
            }
        }
        return steps
    }
}
