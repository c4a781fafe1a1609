/// Who asks for a topic.
package enum TopicCaller: Equatable, Sendable {
    /// The owner of the topics, by the credential of a device.
    case device(isReceiveOnly: Bool)
    case token(TokenTerms)
    /// A program of this machine without a credential. Its topics are those of the owner whom the
    /// server runs as.
    case thisMachine
    /// Anybody else without a credential.
    case stranger
    /// The credential is unknown, or has ended.
    case impostor
}

/// What a caller wants to do with a topic.
package enum TopicUse: CaseIterable, Sendable {
    case publish
    case read
    /// Deleting or clearing what earlier messages showed.
    case end
    case answer
    case manage
}

/// Why a caller does not get what it wants. None of these tells whether a topic exists.
package enum AccessRefusal: Error, CaseIterable, Sendable {
    case wrongCredential
    /// There is no credential, or it is not enough.
    case forbidden
    /// The credential in the query is no base64.
    case badEncoding
    /// Nobody has subscribed to this topic of UnifiedPush. Application servers forget a
    /// subscription after 403.
    case noSubscriber
    case tooManyTopics
}

/// What the store knows of a name.
package struct KnownName: Equatable, Sendable {
    /// Why a topic may be used by everybody who knows the name.
    package enum Publicity: CaseIterable, Sendable {
        /// The owner has opened it for publishing.
        case open
        /// It is a secret name for publishing.
        case secret
        case secretForReading
        /// A subscriber with a right to it has made it for UnifiedPush.
        case unifiedPush

        func allows(_ use: TopicUse) -> Bool {
            use == (self == .secretForReading ? .read : .publish)
        }
    }

    /// The caller's owner has a topic of this name.
    package var isOwn = false
    /// What everybody may do with the topic that has this name for everybody; nil if there is none.
    package var publicity: Publicity?
    /// That topic belongs to the caller's owner, too.
    package var isSame = false
    /// No more topics may be made for the caller: the owner has enough, or this machine has.
    package var isFull = false

    package init() {}
}

/// Decides which topic a caller reaches by a name.
package enum TopicAccess: Equatable, Sendable {
    /// The topic of the caller's owner.
    case own
    /// The topic that the name means for everybody.
    case known
    /// The caller's owner has no such topic; it is to be made.
    case new

    /// The caller's owner comes first, then everybody's names, and then a new topic is made.
    package init(
        _ caller: TopicCaller, _ use: TopicUse, _ name: TopicName, _ known: KnownName
    ) throws(AccessRefusal) {
        guard caller != .impostor else { throw .wrongCredential }
        let isPublic = known.publicity?.allows(use) ?? false
        if known.isOwn, caller.sees(name) {
            guard caller.allows(use) || isPublic && known.isSame else { throw .forbidden }
            self = .own
        } else if isPublic {
            self = .known
        } else if name.isUnifiedPush, use == .publish {
            throw .noSubscriber
        } else if caller.makes(name, by: use) {
            guard !known.isFull else { throw .tooManyTopics }
            self = .new
        } else {
            throw .forbidden
        }
    }
}

extension TopicCaller {
    /// Whether topics of the caller's owner with that name are there for the caller.
    fileprivate func sees(_ name: TopicName) -> Bool {
        switch self {
        case .device, .thisMachine: true
        case .token(let terms): terms.pattern.matches(name)
        case .stranger, .impostor: false
        }
    }

    /// Whether the caller may do that with topics of its owner that it sees.
    package func allows(_ use: TopicUse) -> Bool {
        switch self {
        case .device(let isReceiveOnly): !isReceiveOnly || use == .read
        case .token(let terms): terms.allows(use)
        case .thisMachine: use == .publish
        case .stranger, .impostor: false
        }
    }

    /// Secret names are not made by using them: one that was replaced would come back as an
    /// ordinary one.
    fileprivate func makes(_ name: TopicName, by use: TopicUse) -> Bool {
        guard !name.text.hasPrefix(TopicName.secretPrefix), allows(use),
            [.publish, .read, .end].contains(use)
        else { return false }
        return switch self {
        case .device(let isReceiveOnly): !isReceiveOnly
        case .token(let terms): terms.makes(name)
        case .thisMachine: true
        case .stranger, .impostor: false
        }
    }
}
