package import Delivery
package import System
package import Topics
package import WebPush

/// The port to a store, on one machine or on many.
///
/// It asks for no more than a replicated log can do as well:
/// - Calls return at once; answers go to the sink, on any thread.
/// - Operations on one device take effect in the order in which one thread submits them. There is no
///   order between devices or threads.
/// - An operation is done whole or not at all, together with its callback events. Nothing relies on
///   two operations being done together.
/// - An answer other than `.unavailable` is final, even if the store crashes right after it.
///   `.unavailable` means neither yes nor no, and a retry has to be right in both cases: what had
///   ended is then `.notFound`, and a repeated message is a new one.
/// - Positions are compared only between messages of one device.
/// - What is loaded need not show operations that are under way: see `StoredPage`.
/// - Room for messages is reserved in the `index` before they are submitted. The store counts the
///   other things that owners may have (`.full`); a few concurrent operations may pass the limit.
/// - A change names the revision it is based on (`.conflict` if that is outdated).
/// - What has expired by `clock` is never handed out; its room may be freed a little later.
/// - An export shows one moment, of one device or owner. A store on many machines can show one for
///   each of its parts.
/// - An account is in one place at a time, and its engine handles one operation after the other. A
///   store on many machines has to ensure that.
package protocol MessageStore: AnyObject, Sendable {
    /// What is known without reading the disk.
    var index: StoreIndex { get }
    /// The time by which messages expire.
    var clock: LastingClock { get }
    /// Whether it would accept an operation now. Health checks ask for it.
    var isUsable: Bool { get }
    /// False while it may not know what others did to the same store more than a second ago. Then
    /// nobody is served, because what the `index` says may have ended.
    var isCurrent: Bool { get }
    /// Whether an operation that is refused now may succeed within seconds: the servers are
    /// choosing who leads the log, or other stores wrote first.
    var isSettling: Bool { get }
    /// How many of the servers that it is kept on may lose what they confirm.
    var unsafeServerCount: Int { get }

    /// Whether this node does now what only one of the nodes that share the store has to do.
    var isLead: Bool { get }

    /// The address under which endpoints are made from now on. Call it before the first operation.
    func serve(at baseURL: String) throws(StoreFault)
    /// Any thread may call it. The caller chooses `ticket`, which comes back with the answer.
    func submit(_ operation: StoreOperation, ticket: UInt64, to sink: any StoreSink)
    /// Any thread may call it. It is not ordered with operations: see `StoredPage`.
    func load(_ request: LoadRequest, ticket: UInt64, to sink: any StoreSink)
    /// Brings a message that is never stored to the node where its device is connected. It may get
    /// lost. Any thread may call it.
    func passOn(_ message: Message)
    /// Tells every callback what to call `registerDevice` with, now and every day. `describe`
    /// returns these parameters as JSON, on a thread of the store.
    func remind(_ describe: @escaping @Sendable (Registration) -> String)
}

/// Receives answers on any thread and posts them to the loop they belong to.
package protocol StoreSink: AnyObject, Sendable {
    /// All answers of one batch for this sink, in order.
    func completed(_ completions: [CompletedOperation])
    func loaded(_ answer: LoadAnswer, ticket: UInt64)
}

package struct CompletedOperation: Sendable {
    package let ticket: UInt64
    package let outcome: StoreOutcome
}

package enum StoreOperation: Sendable {
    /// Stores a message for which room was reserved, replacing one with the same topic. The
    /// reservation is spent or has ended before the answer comes.
    case store(Message)
    /// The destination has it.
    case acknowledge(MessageReference)
    /// The destination has it, says a client that did not get the message on this connection.
    case acknowledgeByID(MessageID, device: UInt32)
    /// The sender withdraws it.
    case withdraw(LocationID)

    /// Ends the `count` oldest messages of a subscription, instead of refusing the newest.
    case dropOldest(Address, count: Int)

    case addDevice(KnownUserAgent)
    /// The device said hello. `.conflict` if its endpoints have another address than the server's.
    case touchDevice(UInt32, at: Int64)
    /// Ends the device with everything that belongs to it.
    case removeDevice(UInt32)
    /// Ends the device with everything that belongs to it; `.conflict` if a message waits for it.
    case retireDevice(UInt32)

    /// The device must have been added before. `seen` is when the connection that asks said hello.
    /// `.unavailable` if the device has said hello again, perhaps at another node: the old
    /// connection would never learn the endpoint, and the new one would lose its own.
    case register(Subscription, seen: Int64? = nil)
    /// Binds the endpoint to the first key that signed correctly.
    case bindKey(subscription: UInt32, KeyHash)
    /// Ends a subscription and the messages that wait for it.
    case unregister(subscription: UInt32)

    /// `.conflict` if the owner has a credential of that name, or anybody one with that secret;
    /// `.full` at the owner's limit.
    case addCredential(DeviceCredential)
    /// The device was here.
    case touchCredential(UInt32, at: Int64)
    /// Lets in a device that a restore brought back.
    case confirmCredential(UInt32)
    /// Gives a token this name and, unless they are nil, these terms. `.conflict` if the owner has
    /// another credential of that name.
    case changeToken(UInt32, name: String, TokenTerms?)
    /// Also ends the devices that were made under it.
    case removeCredential(UInt32)
    case passkey(PasskeyOperation)

    case callback(CallbackOperation)
    case forward(ForwardOperation)
    /// Also queues the callback events that it causes, in the same transaction. If an outbox has no
    /// room for an event caused by a push, nothing happens and the outcome is `.full`.
    case registration(RegistrationOperation, telling: [CallbackOperation] = [])
    case engine(EngineOperation)
    case addOwner(name: String)
    /// Also ends the owner's credentials.
    case removeOwner(UInt32)

    /// Removes it, and leaves nothing of it in the store's files. `.unavailable` also if something
    /// is left for now: the store then tries again by itself.
    case forgetCredential(UInt32)
    case forgetOwner(UInt32)
}

package enum StoreOutcome: Equatable, Sendable {
    /// The message is on the disk. Pages read before `position` do not contain it.
    case stored(position: Int64)
    /// It was never written, because its acknowledgement arrived first.
    case acknowledged
    /// Done, and on the disk.
    case done
    case withdrawn(MessageReference)
    /// It does not exist, or has ended. For a message: its subscription has ended.
    case notFound
    /// The endpoint's digest starts like another one: make a new token. Or an owner or credential of
    /// that name exists.
    case conflict
    /// A callback's outbox has no room; try again later. Or the owner has too many credentials.
    case full
    /// Nothing is promised; try again later.
    case unavailable
    /// Results that only operations on registrations have.
    case registration(RegistrationResult)
}

extension StoreOutcome {
    package var isStored: Bool { if case .stored = self { true } else { false } }
}

package enum LoadRequest: Sendable {
    case messages(PageRequest)
    case subscriptions(device: UInt32)
    /// Those of devices.
    case credentials
    /// Those for topics.
    case tokens
    case passkeys(PasskeyQuery)
    /// The callbacks that have something to send.
    case callbacks
    case callback(UInt32)
    /// Those of one owner, or all.
    case forwards(owner: String?)
    case registration(RegistrationQuery)
    /// The engines of an account, for one owner or all, and for one application or all.
    case engines(account: String, app: String?, owner: String?)
    case owners
    case topic(TopicQuery)
    case question(TopicMessageID)
    /// Messages of topics that have some words, newest first. The answer is a page of topics.
    case search(TopicSearchRequest)
    /// The next part of an export. Only one request for it may be under way.
    case export(StoreExport)
}

package enum LoadAnswer: Sendable {
    case page(StoredPage)
    case subscriptions([Subscription])
    case credentials([DeviceCredential])
    case passkeys([Passkey])
    case callbacks([UInt32])
    /// Nil if it does not exist, or is sent nothing any more.
    case callback(CallbackRecord?)
    /// By their numbers.
    case forwards([ForwardRecord])
    case registration(RegistrationAnswer)
    case engines([EngineRecord])
    case owners([Owner])
    case topic(TopicAnswer)
    /// Nil if it does not exist any more.
    case question(Question?)
    /// Nil after the last part.
    case export([UInt8]?)
    /// Try again later.
    case unavailable
}
