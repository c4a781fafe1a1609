package import Delivery
package import WebPush

/// Where what was promised is kept: the port behind which a store stands, on one machine or on many.
///
/// All that a store has to do is here, and no more than what a replicated log can do as well:
/// - Calls return at once; answers come to the sink, on any thread.
/// - Operations of one device take effect in the order in which one thread handed them over. Nothing
///   is said of the order between devices or threads.
/// - An operation is done whole or not at all, with what it tells callbacks. That two operations are
///   done together is nowhere relied on.
/// - An answer other than `.unavailable` is final: a crash right after it changes nothing.
///   `.unavailable` says neither yes nor no, and whoever asks again has to be right with either: what
///   had ended is `.notFound` then, and a message that comes again is another one.
/// - Positions are compared only between messages of one device.
/// - What is loaded need not show the operations that are under way: see `StoredPage`.
/// - Room for messages is counted in the `index` before they are handed over. What owners may have of
///   all else is counted by the store (`.full`), and a few that come at once may pass the bound.
/// - Whoever changes something says what he had read of it (`.conflict` where that is no longer so).
/// - What has expired by `clock` is never handed out; it may be a while before its room is free.
/// - An account is at one place at a time, so what is asked of its engine is done there, one thing
///   after the other; a store on many machines has to see to that.
package protocol MessageStore: AnyObject, Sendable {
    /// What is known without asking the disk.
    var index: StoreIndex { get }
    /// The time by which messages expire.
    var clock: StoreClock { get }
    /// Whether it would take an operation now: for readiness.
    var isUsable: Bool { get }

    /// From any thread. `ticket` is the caller's and comes back with the answer.
    func submit(_ operation: StoreOperation, ticket: UInt64, to sink: any StoreSink)
    /// From any thread. Not ordered with operations: see `StoredPage`.
    func load(_ request: LoadRequest, ticket: UInt64, to sink: any StoreSink)
    /// Tells every callback what to call `registerDevice` with, now and every day. `describe` gives
    /// these parameters as JSON, on a thread of the store.
    func remind(_ describe: @escaping @Sendable (Registration) -> String)
}

/// Takes answers, on whichever thread has them, to where they belong: posts them to its loop.
package protocol StoreSink: AnyObject, Sendable {
    /// All answers of one batch that belong to this sink, in order.
    func completed(_ completions: [Completion])
    func loaded(_ answer: LoadAnswer, ticket: UInt64)
}

package struct Completion: Sendable {
    package let ticket: UInt64
    package let outcome: StoreOutcome
}

package enum StoreOperation: Sendable {
    /// Keeps a message for which room was reserved, in the place of one with the same topic. The
    /// reservation is spent or has ended before the answer comes.
    case store(Message)
    /// The destination has it.
    case acknowledge(MessageReference)
    /// The same, from one who was not given the message on this connection.
    case acknowledgeByID(MessageID, device: UInt32)
    /// The sender takes it back.
    case withdraw(LocationID)

    /// Ends the oldest messages of a subscription, so many: where that is wanted rather than a refusal
    /// of the newest.
    case dropOldest(Address, count: Int)

    case addDevice(KnownUserAgent)
    /// It said hello.
    case touchDevice(UInt32, at: Int64)
    /// Ends it with all that is its own.
    case removeDevice(UInt32)

    /// Its device must have been added before.
    case register(Subscription)
    /// The first key that signed correctly.
    case bindKey(subscription: UInt32, KeyHash)
    /// Ends a subscription and the messages that wait for it.
    case unregister(subscription: UInt32)

    /// `.conflict` where its owner has one of that name, `.full` where he has as many as he may.
    case addCredential(DeviceCredential)
    case touchCredential(UInt32, at: Int64)
    /// Ends the devices that were made under it, too.
    case removeCredential(UInt32)

    case callback(CallbackOperation)
    /// With what callbacks are told because of it, in one transaction. Where an outbox has no room for
    /// what comes from a push, nothing happens and the outcome is `.full`.
    case registration(RegistrationOperation, telling: [CallbackOperation] = [])
    case engine(EngineOperation)
    case addOwner(name: String)
    /// Ends the credentials that are the owner's, too.
    case removeOwner(UInt32)
}

package enum StoreOutcome: Equatable, Sendable {
    /// The message is on the disk. Pages that were read before `position` do not have it.
    case stored(position: Int64)
    /// Was never written, because its acknowledgement came before its turn.
    case acknowledged
    /// Took effect, and is on the disk.
    case done
    case withdrawn(MessageReference)
    /// There is no such thing, or not any more. Of a message: its subscription has ended.
    case notFound
    /// The endpoint's digest begins like that of another: make another token. Or the owner is there,
    /// or the name of a credential.
    case conflict
    /// There is no room in the outbox of a callback; it may come again. Or the owner has no more room
    /// for credentials.
    case full
    /// Nothing is promised; it may come again.
    case unavailable
    /// What only operations on registrations have for an answer.
    case registration(RegistrationResult)
}

package enum LoadRequest: Sendable {
    case messages(PageRequest)
    case subscriptions(device: UInt32)
    case credentials
    /// The callbacks that have something to send.
    case callbacks
    case callback(UInt32)
    case registration(RegistrationQuery)
    /// The engines of an account, of one owner or of all, of one application or of all.
    case engines(account: String, app: String?, owner: String?)
    case owners
}

package enum LoadAnswer: Sendable {
    case page(StoredPage)
    case subscriptions([Subscription])
    case credentials([DeviceCredential])
    case callbacks([UInt32])
    /// Nil where there is none, or none that is sent anything.
    case callback(CallbackRecord?)
    case registration(RegistrationAnswer)
    case engines([EngineRecord])
    case owners([Owner])
    /// Ask again later.
    case unavailable
}
