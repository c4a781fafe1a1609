/// What the shell is to do for the distributor, in this order.
package enum DistributorAction: Equatable, Sendable {
    /// Answers a call of `Register`.
    case answer(UInt64, RegistrationAnswer)
    /// Calls a connector. The outcome is wanted under this number, unless it is zero.
    case call(UInt64, ConnectorCall)
    case link(LinkRequest)
    /// An application has heard this signal.
    case fetched(FetchSignal)
    case save(ClientRecord)
    case forget(ClientKey)
    /// Tells the owner of a bus name, now and at each change.
    case watch(String)
    case unwatch(String)
}

package enum RegistrationAnswer: Equatable, Sendable {
    case registered
    case failed(RegistrationFailure)
}
