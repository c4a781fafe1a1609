import Base
import Delivery
import Topics
import WebPush

/// What a batch changes in memory once it is committed.
struct BatchEffects {
    enum Change {
        case device(KnownUserAgent, owner: UInt32)
        case removedDevice(UInt32, userAgent: Digest)
        case endpoint(Endpoint, Digest)
        case boundEndpoint(Digest, KeyHash)
        case endedEndpoint(Digest)
        case credential(DeviceCredential)
        case confirmedCredential(Digest)
        case renamedCredential(Digest, String)
        case changedToken(Digest, TokenTerms)
        case removedCredential(Digest)
        case callback(UInt32, isGone: Bool)
        /// The registration changed or ended.
        case registration(device: UInt32)
        /// An engine was created or ended, or another application may now open its account.
        case engines
        /// An engine has these clients at another store; nil for none.
        case clients(UInt32, node: String, RemoteClients.Count?)
        /// A topic has this name from now on; nil if none has.
        case topicName(Digest, UInt32?)
        /// Callbacks of devices up to this one, or all of them, got the reminder of the start.
        case reminded(UInt32?)

        var isOfAccounts: Bool { if case .engines = self { true } else { false } }
    }

    /// Messages that are now stored, and their positions.
    var stored: [(message: Message, position: Int64)] = []
    /// Messages that another store has stored.
    var counted: [MessageRows.Kept] = []
    var ended: [MessageRows.Ended] = []
    var marks: [OwnedMark] = []
    var expiredMarks: [OwnedMark] = []
    var replays: Set<ReplayMark> = []
    var expiredReplays: [ReplayMark] = []
    /// Chosen actions that no application took in time.
    var expiredActions = 0
    /// News from engines to their clients.
    var engineNews: [EngineNews] = []
    /// What has come to topics, for their readers.
    var topicNews: [TopicNews] = []
    /// What has come to topics without news.
    var quiet: [QuietPlaces] = []
    /// Questions that have ended, for whoever waits.
    var questionNews: [QuestionNews] = []
    /// Files of topics that came or ended.
    var files: [FileChange] = []
    var changes: [Change] = []
    /// What another store did; empty for a batch of this one.
    var remote = RemoteChanges()
    private var news: [UInt32: CallbackNews] = [:]

    mutating func add(_ news: CallbackNews, of callback: UInt32) {
        if self.news[callback] != .changed { self.news[callback] = news }
    }

    /// Makes sure that repetitions of this message are recognised from now on.
    mutating func keepMark(of message: Message, in index: StoreIndex) {
        guard let mark = message.mark else { return }
        let owner = index.owner(ofDevice: message.address.device)
        marks.append(OwnedMark(mark: mark, owner: owner))
    }

    func apply(to index: StoreIndex) {
        for entry in stored { entry.message.reservation.spend() }
        for entry in marks { index.keep(entry) }
        for entry in expiredMarks { index.remove(entry.mark) }
        var endings = DeviceEndings()
        for change in changes { Self.apply(change, to: index, &endings) }
        // After new devices are in the index, and before the messages that have ended are taken
        // off.
        for message in counted { index.count(message.size, for: message.address) }
        for message in ended { index.release(message.size, for: message.reference.address) }
        index.endings.notify(endings)
        if !remote.isEmpty { index.remoteChanges.call(remote) }
        if !news.isEmpty { index.callbacks.notify(news) }
        index.engines.notify(engineNews)
        index.files.apply(files)
        index.topics.notify(topicNews)
        index.topics.notify(questionNews)
        // Last, because its listener reads the rest of the index.
        if changes.contains(where: \.isOfAccounts) { index.engines.countChange() }
    }

    mutating func empty() {
        stored.removeAll(keepingCapacity: true)
        ended.removeAll(keepingCapacity: true)
        if !counted.isEmpty { counted = [] }
        engineNews.removeAll(keepingCapacity: true)
        topicNews.removeAll(keepingCapacity: true)
        if !quiet.isEmpty { quiet = [] }
        if !questionNews.isEmpty { questionNews = [] }
        if !files.isEmpty { files = [] }
        expiredActions = 0
        marks.removeAll(keepingCapacity: true)
        expiredMarks.removeAll(keepingCapacity: true)
        replays.removeAll(keepingCapacity: true)
        expiredReplays.removeAll(keepingCapacity: true)
        changes.removeAll(keepingCapacity: true)
        if !remote.isEmpty { remote = RemoteChanges() }
        if !news.isEmpty { news = [:] }
    }

    private static func apply(
        _ change: Change, to index: StoreIndex, _ endings: inout DeviceEndings
    ) {
        switch change {
        case .device(let device, let owner): index.add(device, owner: owner)
        case .removedDevice(let row, let userAgent):
            index.removeDevice(row, userAgent: userAgent)
            endings.devices.append(row)
        case .endpoint(let endpoint, let digest):
            // The executor has checked that no other digest starts with the same word.
            index.add(endpoint, digest)
        case .boundEndpoint(let digest, let hash):
            index.endpoints.change(digest) { endpoint in
                Endpoint(address: endpoint.address, kind: endpoint.kind, sender: .key(hash))
            }
        case .endedEndpoint(let digest): index.removeEndpoint(digest)
        case .credential(let credential): index.set(credential)
        case .confirmedCredential(let secret): index.confirmCredential(secret)
        case .renamedCredential(let secret, let name): index.renameCredential(secret, name)
        case .changedToken(let secret, let terms): index.changeToken(secret, terms)
        case .removedCredential(let secret):
            if let row = index.removeCredential(secret) { endings.credentials.append(row) }
        case .callback(let row, let isGone): index.callbacks.set(row, isGone: isGone)
        case .registration(let device): index.registrations.forget(device)
        case .engines: break
        case .clients(let engine, let node, let count):
            index.engines.set(count, of: engine, at: node)
        case .topicName(let name, let device):
            if let former = index.topics.set(name, device) { endings.unnamed.append(former) }
        case .reminded(let device): index.reminders.reached(device)
        }
    }
}
