import Base

/// Messages of the push service, appended to a buffer.
package enum ServerMessage {
    package static let pong: StaticString = "{}"

    /// The answer to hello. `broadcasts` is JSON; empty means an empty object. `extensions` are
    /// those granted to the client.
    static func appendHello(
        _ userAgent: UserAgentID, broadcasts: Span<UInt8>, extensions: AutopushExtensions,
        to output: inout [UInt8]
    ) {
        output.append(contentsOf: #"{"messageType":"hello","uaid":""#)
        userAgent.bits.appendHexadecimal(to: &output)
        output.append(contentsOf: #"","status":200,"use_webpush":true,"broadcasts":"#)
        if broadcasts.isEmpty {
            output.append(contentsOf: "{}")
        } else {
            output.append(contentsOf: broadcasts)
        }
        if !extensions.isEmpty { append(extensions, to: &output) }
        output.append(UInt8(ascii: "}"))
    }

    private static func append(_ extensions: AutopushExtensions, to output: inout [UInt8]) {
        var start: StaticString = #","extensions":[""#
        for (granted, word) in AutopushExtensions.words where extensions.contains(granted) {
            output.append(contentsOf: start)
            output.append(contentsOf: word)
            start = #"",""#
        }
        output.append(contentsOf: #""]"#)
    }

    package static func appendRegistered(
        _ channel: ChannelID, _ outcome: RegistrationOutcome, to output: inout [UInt8]
    ) {
        output.append(contentsOf: #"{"messageType":"register","channelID":""#)
        channel.bits.appendUUID(to: &output)
        switch outcome {
        case .registered(let endpoint):
            output.append(contentsOf: #"","status":200,"pushEndpoint":""#)
            output.append(contentsOf: endpoint.span)
        case .badKey:
            output.append(
                contentsOf:
                    #"","status":400,"pushEndpoint":"The key is empty, or not base64url"#)
        case .failed:
            output.append(contentsOf: #"","status":500,"pushEndpoint":""#)
        }
        output.append(contentsOf: "\"}")
    }

    package static func appendUnregistered(
        _ channel: ChannelID, isDone: Bool, to output: inout [UInt8]
    ) {
        output.append(contentsOf: #"{"messageType":"unregister","channelID":""#)
        channel.bits.appendUUID(to: &output)
        output.append(contentsOf: isDone ? #"","status":200}"# : #"","status":500}"#)
    }

    /// An answer about broadcasts, needed only if the client named any.
    package static func appendBroadcasts(
        _ names: BroadcastNames, in payload: Span<UInt8>, to output: inout [UInt8]
    ) {
        output.append(contentsOf: #"{"messageType":"broadcast","broadcasts":"#)
        names.appendAnswer(payload, to: &output)
        output.append(UInt8(ascii: "}"))
    }

    package static func appendUrgency(_ least: Urgency, to output: inout [UInt8]) {
        output.append(contentsOf: #"{"messageType":"urgency","min":""#)
        output.append(contentsOf: least.word)
        output.append(contentsOf: "\"}")
    }

    /// Tells a client with that extension that the message no longer needs to be shown.
    package static func appendWithdrawn(
        _ version: MessageID, _ channel: ChannelID, to output: inout [UInt8]
    ) {
        output.append(contentsOf: #"{"messageType":"notification","channelID":""#)
        channel.bits.appendUUID(to: &output)
        output.append(contentsOf: #"","version":""#)
        version.append(to: &output)
        output.append(contentsOf: #"","withdrawn":true}"#)
    }
}

/// What became of a `register`.
package enum RegistrationOutcome: Sendable {
    /// The endpoint: a URL, so nothing in it needs an escape.
    case registered(endpoint: [UInt8])
    case badKey
    case failed
}
