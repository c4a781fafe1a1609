/// Where several stores keep together what waits for user agents: a replicated log for each part of
/// the devices. Any thread may call it. Answers come once, on any thread, and an answer may come
/// before the call returns.
package protocol MessageShards: AnyObject, Sendable {
    /// Keeps `bytes` for some seconds, instead of what is at the same place. `name` is the same
    /// whenever the same message is put: within two minutes it is kept once.
    func put(
        _ bytes: [UInt8], at place: MessagePlace, name: String, seconds: UInt32,
        _ answer: @escaping @Sendable (PutAnswer) -> Void)
    /// What waits, in the order of its positions. Nil if nobody knows now.
    func list(_ request: ShardRequest, _ answer: @escaping @Sendable (ShardPage?) -> Void)
    /// Ends what is at these positions of the device's part; what has ended already is no error.
    /// False if nobody knows whether all have ended.
    func remove(
        _ positions: [Int64], ofDevice device: UInt32, _ answer: @escaping @Sendable (Bool) -> Void)
    /// Ends all that waits for a device, or for one of its subscriptions.
    func removeAll(
        ofDevice device: UInt32, subscription: UInt32?,
        _ answer: @escaping @Sendable (Bool) -> Void)
    /// From now on `listen`'s closure hears of what is put for the device by other nodes. Some of it
    /// may get lost, so look from time to time.
    func watch(device: UInt32)
    func unwatch(device: UInt32)
    /// `hear` is called on any thread; with nil for the device, what is watched may have missed
    /// something.
    func listen(_ hear: @escaping @Sendable (_ device: UInt32?, _ position: Int64) -> Void)
}

package enum PutAnswer: Equatable, Sendable {
    case kept(position: Int64)
    /// It had been put before.
    case repeated
    /// There is no room. Nothing was kept.
    case full
    /// Neither yes nor no.
    case unknown
}

/// Asks for a part of what waits for a device.
package struct ShardRequest: Equatable, Sendable {
    package let device: UInt32
    /// Nil for all of the device's.
    package let subscription: UInt32?
    /// Only what was put after this position.
    package let after: Int64
    /// The answer must know what was put up to this position.
    package let knowing: Int64
    package let limit: Int

    package init(
        device: UInt32, subscription: UInt32? = nil, after: Int64 = 0, knowing: Int64 = 0,
        limit: Int
    ) {
        self.device = device
        self.subscription = subscription
        self.after = after
        self.knowing = knowing
        self.limit = limit
    }
}

package struct ShardPage: Sendable {
    package struct Item: Equatable, Sendable {
        package let position: Int64
        package let place: MessagePlace
        package let bytes: [UInt8]

        package init(position: Int64, place: MessagePlace, bytes: [UInt8]) {
            self.position = position
            self.place = place
            self.bytes = bytes
        }
    }

    package let items: [Item]
    /// Everything that was put up to this position is known to the answer.
    package let through: Int64
    package let isLast: Bool

    package init(items: [Item], through: Int64, isLast: Bool) {
        self.items = items
        self.through = through
        self.isLast = isLast
    }
}
