/// A message that the client has loaded, with what the engine needs of it.
package struct LoadedMessage: Equatable, Sendable {
    package var chatID: ChatID
    package var id: ChatMessageID
    package var date: Int64
    package var sender: Sender?
    package var isOutgoing = false
    package var isMention = false
    package var isPin = false
    /// The message that was pinned.
    package var pinned = ChatMessageID.none
    package var isSilent = false
    /// A change of title, photo or members.
    package var isQuietChange = false
    /// TDLib's `message` object.
    package var source: [UInt8]

    var stored: StoredMessage { StoredMessage(id: id, source: source, pinned: pinned) }
}
