import Crypto
import Outbound
import WebPush

extension Command {
    static func encrypt(
        _ message: [UInt8], _ subscription: Subscription, _ encoding: ContentEncoding,
        into request: inout HTTPRequest
    ) throws {
        guard let keys = subscription.keys else {
            throw CommandError.usage(
                "a message needs the receiver's keys",
                hint: "add --p256dh and --auth, or use --to FILE")
        }
        var encryptor = try Encryptor()
        let push: EncryptedPush
        do throws(Encryptor.Failure) {
            push = try encryptor.encrypt(
                message.span, for: keys.p256dh, auth: keys.auth, encoding: encoding)
        } catch {
            switch error {
            case .tooLong(let limit):
                throw CommandError(
                    message: "the message is too long", hint: "send at most \(limit) bytes")
            case .badReceiverKey: throw CommandError(message: "p256dh is not on the curve")
            case .fault(let fault): throw fault
            }
        }
        request.body = push.body
        request.fields.append(("Content-Encoding", encoding.rawValue))
        request.fields += push.fields
        request.fields.append(("Content-Type", "application/octet-stream"))
    }

    /// Signs the request. For aesgcm it uses the older scheme, because some old receivers know no
    /// other.
    static func sign(
        _ request: inout HTTPRequest, keyFile path: String, _ encoding: ContentEncoding,
        _ subject: String?
    ) throws {
        guard case .vapid(let privateKey) = try storedKey(at: path) else {
            throw CommandError(
                message: "\(path) is not a VAPID key",
                hint: "make one with: bellwire keys new vapid FILE")
        }
        guard let audience = Origin(url: request.url) else {
            throw CommandError.usage("the endpoint is not an http or https URL")
        }
        let signature = try VAPIDSignature(for: audience, key: privateKey, subject: subject)
        switch encoding {
        case .aes128gcm:
            request.fields.append(("Authorization", signature.authorization))
        case .aesgcm:
            request.fields.append(("Authorization", "WebPush \(signature.token)"))
            if let index = request.fields.firstIndex(where: { $0.name == "Crypto-Key" }) {
                request.fields[index].value += ";p256ecdsa=\(signature.publicKey)"
            } else {
                request.fields.append(("Crypto-Key", "p256ecdsa=\(signature.publicKey)"))
            }
        }
    }
}
