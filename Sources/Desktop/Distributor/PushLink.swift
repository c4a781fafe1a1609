/// The way to the receivers, as the distributor sees it.
///
/// Both sides live on one event loop. The link keeps what the distributor asks for: a channel stays
/// registered until `unregister`, also over restarts, lost connections and a receiver that forgot
/// everything; then the distributor hears a new `endpoint` and nothing else. Of one channel the link
/// hands over `handoverLimit` messages at most that are neither acknowledged nor rejected, in the
/// order of their acceptance, and keeps the others: an application that sleeps holds up nobody.
package protocol PushLink: AnyObject {
    func perform(_ request: LinkRequest)
}

/// Is told what comes over the link, on the thread of the loop.
package protocol PushLinkListener: AnyObject {
    func heard(_ event: LinkEvent)
}

package enum PushLinkLimits {
    /// Messages of one channel that are with the distributor.
    package static let handoverLimit = 64
}
