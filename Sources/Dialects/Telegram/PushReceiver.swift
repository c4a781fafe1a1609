package import Base
package import Notifications

/// Finds out for whom a payload is, before anything else of it is read.
package enum PushReceiver {
    package struct Refusal: Error, Equatable, Sendable {
        package let message: String
    }

    /// 0 for everybody; else a user, or the identifier of the key that encrypts the payload.
    package static func id(of payload: [UInt8]) throws(Refusal) -> Int64 {
        if payload.elementsEqual("{}".utf8) { return 0 }
        let document: JSONDocument
        do throws(JSONScanner.Failure) {
            document = try JSONDocument(payload, isTolerant: true)
        } catch {
            throw Refusal(message: "Failed to parse payload as JSON object")
        }
        return try id(of: document)
    }

    static func id(of document: JSONDocument) throws(Refusal) -> Int64 {
        guard document.root.kind == .object else { throw Refusal(message: "Expected JSON object") }
        do throws(TelegramRefusal) {
            let outer = TelegramFields(node: document.root)
            let fields = outer.has("data") ? try outer.object("data") : outer
            if let encrypted = try fields.text("p") { return try keyID(of: encrypted) }
            guard fields.has("user_id") else { return 0 }
            let user = try fields.long("user_id")
            guard user > 0 else { throw .malformed("Receive wrong user_id \(user)") }
            return user
        } catch {
            throw Refusal(message: error.message)
        }
    }

    /// The answer to `getPushReceiverId`.
    package static func answer(to request: JSONNode) -> Outcome {
        do throws(Refusal) {
            let id = try id(of: Array((request["payload"]?.text ?? "").utf8))
            return .object("{\"@type\":\"pushReceiverId\",\"id\":\"\(id)\"}")
        } catch {
            return .error(code: 400, message: error.message)
        }
    }

    /// The first 8 bytes, least significant first.
    private static func keyID(of encrypted: String) throws(TelegramRefusal) -> Int64 {
        let head = Array(encrypted.utf8.prefix(headLength))
        guard head.count == headLength else { throw .malformed("Encrypted payload is too small") }
        guard let bytes = Base64URL.decode(head.span) else {
            throw .malformed("Failed to base64url-decode payload")
        }
        return bytes[..<8].reversed().reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The base64 letters that hold the key's identifier.
    private static let headLength = 12
}
