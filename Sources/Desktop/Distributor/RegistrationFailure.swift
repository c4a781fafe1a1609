/// Why an application got no endpoint, in the words of the UnifiedPush specification.
package enum RegistrationFailure: String, Sendable {
    /// Trying again later may help.
    case `internal` = "INTERNAL_ERROR"
    /// Trying again when the network is back may help.
    case network = "NETWORK"
    /// The user has to do something first, such as naming a receiver.
    case actionRequired = "ACTION_REQUIRED"
    /// The receiver takes only registrations with a key.
    case keyRequired = "VAPID_REQUIRED"
    case unauthorized = "UNAUTHORIZED"
}
