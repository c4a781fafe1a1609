/// What the shell has to do for the distributor, in this order.
package enum DistributorAction: Equatable, Sendable {
    /// Answer a call of `Register`.
    case answer(UInt64, RegistrationAnswer)
    /// Call a connector. Report the outcome under this number, unless it is zero.
    case call(UInt64, ConnectorCall)
    case link(LinkRequest)
    /// An application has this signal.
    case fetched(FetchSignal)
    case save(ClientRecord)
    case forget(ClientKey)
    /// Report the owner of a bus name, now and at each change.
    case watch(String)
    case unwatch(String)
}

package enum RegistrationAnswer: Equatable, Sendable {
    case registered
    case failed(RegistrationFailure)
}
