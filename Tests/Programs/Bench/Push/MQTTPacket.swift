/// The packets of MQTT 3.1.1 that a measurement needs.
enum MQTTPacket {
    enum Kind: UInt8 {
        case connectAnswer = 2
        case publish = 3
        case publishAnswer = 4
        case subscribeAnswer = 9
    }

    static func append(connectAs name: String, to output: inout [UInt8]) {
        append(kind: 0x10, length: 10 + 2 + name.utf8.count, to: &output)
        append(text: Array("MQTT".utf8), to: &output)
        // Level 4, a clean session, no keep-alive.
        output += [4, 2, 0, 0]
        append(text: Array(name.utf8), to: &output)
    }

    static func append(subscriptionTo topic: [UInt8], to output: inout [UInt8]) {
        append(kind: 0x82, length: 2 + 2 + topic.count + 1, to: &output)
        output += [0, 1]
        append(text: topic, to: &output)
        output.append(1)
    }

    /// Appends a packet with QoS 1, which the server answers.
    static func append(
        _ body: [UInt8], to topic: [UInt8], number: UInt16, to output: inout [UInt8]
    ) {
        append(kind: 0x32, length: 2 + topic.count + 2 + body.count, to: &output)
        append(text: topic, to: &output)
        append(number, to: &output)
        output.append(contentsOf: body)
    }

    static func append(answerTo number: UInt16, to output: inout [UInt8]) {
        output.append(0x40)
        output.append(2)
        append(number, to: &output)
    }

    /// The packet at `start` and the range of its content; nil if it is incomplete.
    static func next(
        in bytes: Span<UInt8>, from start: Int
    ) -> (kind: Kind?, content: Range<Int>)? {
        var (length, shift, index) = (0, 0, start + 1)
        while true {
            guard index < bytes.count, shift < 28 else { return nil }
            length |= Int(bytes[index] & 127) << shift
            shift += 7
            index += 1
            if bytes[index - 1] & 128 == 0 { break }
        }
        guard index + length <= bytes.count else { return nil }
        return (Kind(rawValue: bytes[start] >> 4), index..<index + length)
    }

    private static func append(kind: UInt8, length: Int, to output: inout [UInt8]) {
        output.append(kind)
        var rest = length
        while rest >= 128 {
            output.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        output.append(UInt8(rest))
    }

    private static func append(text: [UInt8], to output: inout [UInt8]) {
        append(UInt16(text.count), to: &output)
        output.append(contentsOf: text)
    }

    private static func append(_ number: UInt16, to output: inout [UInt8]) {
        output.append(UInt8(number >> 8))
        output.append(UInt8(number & 255))
    }
}
