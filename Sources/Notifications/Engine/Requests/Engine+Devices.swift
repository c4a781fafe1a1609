package import Base

/// Tokens that the client wants registered. The host makes the calls.
extension Engine {
    /// `secret` is the encryption key for a token that is not registered yet, unless the client
    /// supplies one.
    package mutating func registerDevice(
        _ request: JSONNode, secret: RegisteredDevice.Encryption?, now: Double
    ) -> Outcome {
        advance(to: now)
        if let refusal = Self.refusal(of: request) { return refusal }
        if isClosed { return .aborted }
        guard let node = request["device_token"], node.kind == .object else {
            return .badRequest("Device token must be non-empty")
        }
        let token: DeviceToken
        do throws(DeviceToken.Failure) {
            token = try DeviceToken(node)
        } catch {
            switch error {
            case .invalid(let message): return .badRequest(message)
            }
        }
        let others = (request["other_user_ids"]?.elements ?? []).map { $0.integer ?? 0 }
        guard others.allSatisfy({ 1..<ChatID.userLimit ~= $0 }) else {
            return .badRequest("Invalid user_id among other user_ids")
        }
        let known = account.devices[token.type]
        if token.token.isEmpty {
            account.devices[token.type] = nil
            if let known { askHost("unregister_device", known) }
            return receiver(0)
        }
        var device = RegisteredDevice(
            tokenType: token.type, token: token.token, otherUserIDs: others,
            isSandbox: token.isSandbox)
        if request["secret"] != nil {
            device.encryption = secret
        } else if token.isEncrypted {
            device.encryption = known?.token == token.token ? known?.encryption ?? secret : secret
        }
        account.devices[token.type] = device
        if known != device { askHost("register_device", device) }
        return receiver(device.encryption?.keyID ?? account.userID)
    }

    private func receiver(_ id: Int64) -> Outcome {
        .object(#"{"@type":"pushReceiverId","id":"\#(id)"}"#)
    }

    /// Registers every token again, at the start and once a day.
    package mutating func refreshDevices() {
        nextRefresh = now + Self.refreshInterval
        for device in account.devices.sorted(by: { $0.key < $1.key }) {
            askHost("register_device", device.value)
        }
    }

    /// Telegram's documentation asks for this at least once every 24 hours.
    private static let refreshInterval = 86_400.0

    private mutating func askHost(_ reason: String, _ device: RegisteredDevice) {
        let others = device.otherUserIDs.map(String.init).joined(separator: ",")
        var details = [
            Update.Detail("token_type", source: String(device.tokenType)),
            Update.Detail("token", source: JSONText.quoted(device.token)),
            Update.Detail("app_sandbox", source: device.isSandbox ? "true" : "false"),
            Update.Detail("no_muted", source: "true"),
            Update.Detail("other_uids", source: "[\(others)]"),
        ]
        if let encryption = device.encryption {
            let secret = Base64URL.text(encryption.secret.span)
            details.append(Update.Detail("secret", source: "\"\(secret)\""))
        }
        updates.append(.fetchRequired(reason: reason, details: details))
    }
}
