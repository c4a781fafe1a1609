/// What notifications say by themselves.
extension Sentence {
    package static let open = Sentence("Open", "Öffnen")
    package static let reply = Sentence("Reply", "Antworten")
    package static let markAsRead = Sentence("Mark as read", "Als gelesen markieren")
    package static let accept = Sentence("Accept", "Annehmen")
    package static let decline = Sentence("Decline", "Ablehnen")
    package static let muteForHour = Sentence("Mute for 1 hour", "1 Stunde stummschalten")

    package static let newMessage = Sentence("New message", "Neue Nachricht")
    package static let newSecretChat = Sentence("New secret chat", "Neuer geheimer Chat")
    package static let incomingCall = Sentence("Incoming call", "Eingehender Anruf")
    package static let tags = Sentence("Tags: %1", "Schlagwörter: %1")
    package static let oneMore = Sentence("1 more notification", "1 weitere Benachrichtigung")
    package static let moreNotifications = Sentence(
        "%1 more notifications", "%1 weitere Benachrichtigungen")
    package static let clearWarning = Sentence(
        "Not encrypted, may be from anybody:", "Unverschlüsselt, kann von jedem sein:")

    package static let nobodyListens = Sentence(
        "No screen shows it. In your desktop session, run bellwire serve --desktop, or name the "
            + "account in the file receivers of bellwire desktop.",
        "Kein Bildschirm zeigt es. Starten Sie in Ihrer Sitzung bellwire serve --desktop, oder "
            + "nennen Sie das Konto in der Datei receivers von bellwire desktop.")

    package static let testTitle = Sentence("Bellwire", "Bellwire")
    package static let testText = Sentence(
        "This is the test that you asked for. Notifications arrive here.",
        "Das ist der gewünschte Test. Benachrichtigungen kommen hier an.")
}
