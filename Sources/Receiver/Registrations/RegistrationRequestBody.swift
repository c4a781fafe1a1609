import Base
import Crypto
import Mailbox
import Outbound

/// The body of a request for a registration.
struct RegistrationRequestBody: Confidential {
    let terms: RegistrationTerms
    let secret: Secret?

    init(json: [UInt8]) throws(ControlRefusal) {
        do throws(RegistrationTerms.Fault) {
            let object = try Self.object(json)
            var members = try RegistrationMembers(object)
            let secret = try members.text("secret")
            terms = try RegistrationTerms(object, without: "secret")
            guard secret == nil || terms.tokenType == .webPush else {
                throw RegistrationTerms.Fault("secret is for token_type 10")
            }
            self.secret = try secret.map(Self.secret)
            if let callback = terms.callback { try Self.check(callback) }
        } catch {
            throw .badBody(error.message)
        }
    }

    /// Where it may lead to is decided at each attempt.
    private static func check(_ callback: String) throws(RegistrationTerms.Fault) {
        do throws(CallbackTarget.Refusal) { _ = try CallbackTarget(callback) } catch {
            throw RegistrationTerms.Fault("callback " + error.rawValue)
        }
    }

    static func object(_ json: [UInt8]) throws(RegistrationTerms.Fault) -> JSONNode {
        guard let document = try? JSONDocument(json) else {
            throw RegistrationTerms.Fault("the body is no JSON")
        }
        return document.root
    }

    /// One that was made elsewhere, or `new`. Its key must not be taken for the id of a user.
    static func secret(_ text: String) throws(RegistrationTerms.Fault) -> Secret {
        guard text == "new" else {
            guard let bytes = Base64URL.decode(text), bytes.count == MTProtoSecret.length else {
                throw RegistrationTerms.Fault(
                    "secret is \(MTProtoSecret.length) bytes in base64url, or new")
            }
            return Secret(bytes.span)
        }
        do throws(OpenSSLError) {
            while true {
                let secret = try Random.secret(count: MTProtoSecret.length)
                if let key = try MTProtoSecret(secret), key.keyID.magnitude >= keyIDFloor {
                    return secret
                }
            }
        } catch {
            throw RegistrationTerms.Fault("no secret can be made now")
        }
    }

    /// TDLib makes no other: user ids are below.
    private static let keyIDFloor: UInt64 = 10_000_000_000_000
}
