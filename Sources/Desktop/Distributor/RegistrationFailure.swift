/// Why an application got no endpoint, in the words of the UnifiedPush specification.
package enum RegistrationFailure: String, Sendable {
    /// A later attempt may work.
    case `internal` = "INTERNAL_ERROR"
    /// An attempt may work when the network is back.
    case network = "NETWORK"
    /// The user has to do something first, such as naming a receiver.
    case actionRequired = "ACTION_REQUIRED"
    /// The receiver accepts only registrations with a key.
    case keyRequired = "VAPID_REQUIRED"
    case unauthorized = "UNAUTHORIZED"
}
