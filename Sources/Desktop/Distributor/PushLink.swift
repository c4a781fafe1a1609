/// The distributor's view of the receivers.
///
/// Both sides run on one event loop. A channel stays registered until `unregister`, also after a
/// restart, a lost connection or a receiver that forgot everything; the distributor then only gets
/// a new `endpoint`. The link hands over at most `handoverLimit` messages of a channel that are
/// neither acknowledged nor rejected, in the order of their acceptance, and keeps the rest, so a
/// sleeping application delays nobody.
package protocol PushLink: AnyObject {
    func perform(_ request: LinkRequest)
}

/// Receives the link's events on the thread of the loop.
package protocol PushLinkListener: AnyObject {
    func heard(_ event: LinkEvent)
}

package enum PushLinkLimits {
    /// The most unfinished messages of one channel at the distributor.
    package static let handoverLimit = 64
}
