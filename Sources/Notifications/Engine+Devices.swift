import Base

/// Tokens that the client wants registered; the host does the calling.
extension Engine {
    mutating func registerDevice(_ request: JSONNode) -> Outcome {
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
        let others = (request["other_user_ids"]?.elements ?? []).compactMap(\.integer)
        guard others.allSatisfy({ $0 > 0 }) else {
            return .badRequest("Invalid user_id among other user_ids")
        }
        let known = account.devices[token.type]
        if token.token.isEmpty {
            account.devices[token.type] = nil
            if let known { askHost("unregister_device", known) }
            return .object(#"{"@type":"pushReceiverId","id":"0"}"#)
        }
        let device = RegisteredDevice(
            tokenType: token.type, token: token.token, otherUserIDs: others,
            isSandbox: token.isSandbox, isEncrypted: token.isEncrypted)
        account.devices[token.type] = device
        if known != device { askHost("register_device", device) }
        return .object(#"{"@type":"pushReceiverId","id":"\#(account.userID)"}"#)
    }

    /// Every token again, as a start and each day need it.
    package mutating func refreshDevices() {
        for device in account.devices.sorted(by: { $0.key < $1.key }) {
            askHost("register_device", device.value)
        }
    }

    private mutating func askHost(_ reason: String, _ device: RegisteredDevice) {
        let others = device.otherUserIDs.map(String.init).joined(separator: ",")
        updates.append(
            .fetchRequired(
                reason: reason,
                details: [
                    Update.Detail("token_type", source: String(device.tokenType)),
                    Update.Detail("token", source: JSONText.quoted(device.token)),
                    Update.Detail("app_sandbox", source: device.isSandbox ? "true" : "false"),
                    Update.Detail("no_muted", source: "true"),
                    Update.Detail("other_uids", source: "[\(others)]"),
                ]))
    }
}
