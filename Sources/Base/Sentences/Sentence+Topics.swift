/// Why somebody with a token or a device was refused at a topic.
extension Sentence {
    /// By the word that the API says.
    package static func refusedSender(_ word: String) -> Sentence {
        refusedSenders[word]
            ?? Sentence(
                "its message was wrong in another way (\(word)).",
                "die Nachricht war auf andere Weise falsch (\(word)).")
    }

    private static let refusedSenders = [
        "may-only-read": Sentence(
            "its token may only read. Give it one that pushes.",
            "das Token darf nur lesen. Nehmen Sie eines, das sendet."),
        "may-not-push": Sentence(
            "its token may not push. Give it one that does.",
            "das Token darf nicht senden. Nehmen Sie eines, das es darf."),
        "may-not-read": Sentence(
            "its token may only push. Give it one that reads.",
            "das Token darf nur senden. Nehmen Sie eines, das liest."),
        "may-not": Sentence(
            "its token has no right to that.", "das Token hat kein Recht dazu."),
        "other-topics": Sentence(
            "its token is for other topics. Give it one for this topic.",
            "das Token ist für andere Themen. Nehmen Sie eines für dieses Thema."),
        "receive-only": Sentence(
            "the device can only receive. Give it a token that pushes.",
            "das Gerät kann nur empfangen. Nehmen Sie ein Token, das sendet."),
        "expired": Sentence(
            "its token has ended. Make another one.",
            "das Token ist abgelaufen. Legen Sie ein neues an."),
        "unconfirmed": Sentence(
            "nobody has let it in since the restore: bellwire token confirm.",
            "seit der Wiederherstellung hat es niemand zugelassen: bellwire token confirm."),
        "message-40004": Sentence(
            "the time for which it asked cannot be read.",
            "die gewünschte Zeit ist nicht zu lesen."),
        "message-40005": Sentence(
            "the time for which it asked is too near.", "die gewünschte Zeit ist zu nah."),
        "message-40006": Sentence(
            "the time for which it asked is too far.", "die gewünschte Zeit ist zu fern."),
        "message-40007": Sentence(
            "its priority is none.", "die Priorität ist keine."),
        "message-40018": Sentence(
            "its buttons are not what they should be.",
            "die Knöpfe sind nicht, was sie sein sollen."),
        "message-40057": Sentence("its title is too long.", "der Titel ist zu lang."),
        "message-40058": Sentence("its tags are too long.", "die Schlagwörter sind zu lang."),
        "message-41301": Sentence("its file is too large.", "die Datei ist zu groß."),
        "message-42901": Sentence(
            "it sent more than there is room for.", "es kam mehr, als Platz hat."),
    ]
}
