package import Base

/// Identifies a user agent. Whoever knows it can take its messages.
package struct UserAgentID: Hashable, Sendable, Confidential {
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }
}

/// A subscription's identifier, chosen by its user agent.
package struct ChannelID: Hashable, Sendable {
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }
}

/// Identifies an accepted push, in each delivery and in the address that withdraws it.
package struct MessageID: Hashable, Sendable {
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }

    /// Reads the id as `version` of a notification and the end of `Location` have it.
    package init?(text: Span<UInt8>) {
        guard let bits = Bits128(base64URL: text) else { return nil }
        self.init(bits)
    }

    package func append(to output: inout [UInt8]) { bits.appendBase64URL(to: &output) }
}

/// One delivery of a message to a user agent, without its body.
package struct NotificationMessage: Sendable, Confidential {
    package let channel: ChannelID
    package let version: MessageID
    /// Nil for a simple push, whose body has no headers.
    package let headers: PayloadHeaders?
    // These members are only for clients with the extensions.
    package var ttl: UInt32?
    package var topic: Topic?
    package var urgency: Urgency?

    package init(channel: ChannelID, version: MessageID, headers: PayloadHeaders?) {
        self.channel = channel
        self.version = version
        self.headers = headers
    }

    /// An upper bound for the bytes that `append` appends.
    package func capacity(bodyLength: Int) -> Int {
        let headerLength = (headers?.encryption?.count ?? 0) + (headers?.cryptoKey?.count ?? 0)
        // A backslash is the only header byte that needs an escape.
        return 320 + Base64URL.length(of: bodyLength) + 2 * headerLength
    }

    /// Appends the text of the message. An empty body has neither data nor headers.
    package func append(body: Span<UInt8>, to output: inout [UInt8]) {
        output.append(contentsOf: #"{"messageType":"notification","channelID":""#)
        channel.bits.appendUUID(to: &output)
        output.append(contentsOf: #"","version":""#)
        version.append(to: &output)
        if !body.isEmpty {
            output.append(contentsOf: #"","data":""#)
            Base64URL.append(body, to: &output)
            if let headers {
                output.append(contentsOf: #"","headers":{"encoding":""#)
                output.append(contentsOf: headers.encoding.word)
                Self.append(headers.encryption, #"","encryption":""#, to: &output)
                Self.append(headers.cryptoKey, #"","crypto_key":""#, to: &output)
                output.append(contentsOf: "\"}")
            } else {
                output.append(UInt8(ascii: "\""))
            }
        } else {
            output.append(UInt8(ascii: "\""))
        }
        appendExtensions(to: &output)
        output.append(UInt8(ascii: "}"))
    }

    private func appendExtensions(to output: inout [UInt8]) {
        if let ttl {
            output.append(contentsOf: #","ttl":"#)
            output.append(decimal: Int(ttl))
        }
        if let topic {
            output.append(contentsOf: #","topic":""#)
            topic.withSpan { output.append(contentsOf: $0) }
            output.append(UInt8(ascii: "\""))
        }
        if let urgency {
            output.append(contentsOf: #","urgency":""#)
            output.append(contentsOf: urgency.word)
            output.append(UInt8(ascii: "\""))
        }
    }

    /// Printable ASCII without quotes, as `PayloadHeaders` guarantees.
    private static func append(
        _ value: [UInt8]?, _ name: StaticString, to output: inout [UInt8]
    ) {
        guard let value, !value.isEmpty else { return }
        output.append(contentsOf: name)
        for byte in value {
            if byte == UInt8(ascii: "\\") { output.append(byte) }
            output.append(byte)
        }
    }
}
