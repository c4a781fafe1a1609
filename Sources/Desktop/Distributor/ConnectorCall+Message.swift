import Bus

/// The D-Bus form of a call in both generations of the interface.
extension ConnectorCall {
    var message: BusMethodCall {
        let interface =
            version == .one ? "org.unifiedpush.Connector1" : "org.unifiedpush.Connector2"
        return BusMethodCall(
            to: destination, path: path, interface: interface, member: member,
            version == .one ? strings : [options], startsService: startsService)
    }

    private var member: String {
        switch content {
        case .message: "Message"
        case .endpoint: "NewEndpoint"
        case .unregistered: "Unregistered"
        }
    }

    private var strings: [BusValue] {
        switch content {
        case .message(let body, let id): [.string(token), .bytes(body), .string(id)]
        case .endpoint(let endpoint): [.string(token), .string(endpoint)]
        case .unregistered(let isConfirmation): [.string(isConfirmation ? "" : token)]
        }
    }

    private var options: BusValue {
        var members: [(String, BusValue)] = [("token", .string(token))]
        switch content {
        case .message(let body, let id):
            members.append(("message", .bytes(body)))
            if !id.isEmpty { members.append(("id", .string(id))) }
        case .endpoint(let endpoint): members.append(("endpoint", .string(endpoint)))
        case .unregistered: break
        }
        return .options(members)
    }
}
