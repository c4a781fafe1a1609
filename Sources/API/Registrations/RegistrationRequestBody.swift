import Base
import Crypto
import Mailbox

/// The body of a request for a registration.
struct RegistrationRequestBody: Confidential {
    let terms: RegistrationTerms
    let secret: Secret?

    init(json: [UInt8]) throws(APIRefusal) {
        do throws(RegistrationTerms.Fault) {
            let object = try Self.object(json)
            var members = try RegistrationMembers(object)
            let secret = try members.text("secret")
            terms = try RegistrationTerms(object, without: "secret")
            try terms.expectNew()
            guard secret == nil || terms.tokenType == .webPush else {
                throw RegistrationTerms.Fault("secret is only for token_type 10")
            }
            self.secret = try secret.map(Self.secret)
        } catch {
            throw .badBody(error.message)
        }
    }

    static func object(_ json: [UInt8]) throws(RegistrationTerms.Fault) -> JSONNode {
        guard let document = try? JSONDocument(json) else {
            throw RegistrationTerms.Fault("the body is not JSON")
        }
        return document.root
    }

    /// A secret of the client's own, or `new`. Its key id must not look like a user id.
    static func secret(_ text: String) throws(RegistrationTerms.Fault) -> Secret {
        guard text == "new" else {
            guard let bytes = Base64URL.decode(text), bytes.count == MTProtoSecret.length else {
                throw RegistrationTerms.Fault(
                    "secret must be \(MTProtoSecret.length) bytes in base64url, or new")
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
            throw RegistrationTerms.Fault("a new secret cannot be made now")
        }
    }

    /// TDLib makes no key id below this number, and all user ids are below it.
    private static let keyIDFloor: UInt64 = 10_000_000_000_000
}
