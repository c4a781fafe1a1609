/// Topics: the list, one of them, and a new one.
extension Sentence {
    package static let topics = Sentence("Topics", "Themen")
    package static let newTopic = Sentence("A new topic", "Ein neues Thema")
    package static let nameOfTopic = Sentence(
        "Name in its address: letters, digits, - and _",
        "Name in der Adresse: Buchstaben, Ziffern, - und _")
    package static let titleOfTopic = Sentence("Title", "Titel")
    package static let descriptionOfTopic = Sentence("Description", "Beschreibung")
    package static let makeTopic = Sentence("Make it", "Anlegen")
    package static let noTopics = Sentence("There is no topic yet.", "Es gibt noch kein Thema.")
    package static let allOfTheTopics = Sentence("All topics", "Alle Themen")
    package static let lastMessage = Sentence("Last message", "Letzte Nachricht")
    package static let whoReachesIt = Sentence("Who may push", "Wer senden darf")
    package static let isOpenTopic = Sentence("everybody", "alle")
    package static let isSecretTopic = Sentence(
        "who knows its secret name", "wer den geheimen Namen kennt")
    package static let isSecretlyReadTopic = Sentence(
        "another secret name is for reading", "ein weiterer geheimer Name ist zum Lesen")
    package static let isLocalTopic = Sentence(
        "programs on this machine", "Programme auf diesem Rechner")
    package static let isPrivateTopic = Sentence("who has a token", "wer ein Token hat")
    package static let keepsNothing = Sentence("keeps nothing", "bewahrt nichts auf")
    package static let noneKept = Sentence("none", "keine")
    package static let heardService = Sentence("It hears the webhook of", "Es hört den Webhook von")
    package static let screens = Sentence("Screens", "Bildschirme")
    package static let noShortAddress = Sentence(
        "Its name cannot be in an address. bellwire topic show tells its long address.",
        "Ihr Name kann in keiner Adresse stehen. bellwire topic show nennt die lange Adresse.")
    package static let pushLine = Sentence("Push to it", "Senden")
    package static let pushLineWithToken = Sentence(
        "Push to it, with a token in place of the word TOKEN",
        "Senden, mit einem Token anstelle des Wortes TOKEN")

    package static let quiet = Sentence("Sound", "Ton")
    package static let topicRings = Sentence(
        "What comes to it makes a sound.", "Was hier ankommt, macht einen Ton.")
    package static let topicIsMuted = Sentence(
        "It is muted: what comes makes no sound.", "Es ist stumm: Was ankommt, macht keinen Ton.")
    package static let quietUnknown = Sentence(
        "Whether it is muted cannot be said now. Load the page again later.",
        "Ob es stumm ist, lässt sich jetzt nicht sagen. Laden Sie die Seite später neu.")
    package static let untilUnmuted = Sentence("until I unmute it", "bis ich das aufhebe")

    package static let settings = Sentence("Settings", "Einstellungen")
    package static let howLongKept = Sentence("Keeps messages for", "Bewahrt Nachrichten auf")
    package static let asTheServerSays = Sentence(
        "as long as the server says", "so lange, wie der Server sagt")
    package static let forDays = Sentence("%1 days", "%1 Tage")
    package static let forSeconds = Sentence("%1 seconds", "%1 Sekunden")
    package static let letEverybodyPush = Sentence(
        "everybody may push to its name, without a token",
        "alle dürfen an den Namen senden, ohne Token")
    package static let save = Sentence("Save", "Speichern")

    package static let removeTopic = Sentence("Remove this topic", "Dieses Thema entfernen")
    package static let removeTopicNamed = Sentence("Remove %1?", "%1 entfernen?")
    package static let whatEndsWithIt = Sentence(
        "Its addresses, the tokens for it alone, and its messages (%1) end with it. Nobody can bring "
            + "them back.",
        "Mit dem Thema enden seine Adressen, die Token nur für dieses Thema und seine Nachrichten "
            + "(%1). Niemand kann sie zurückholen.")
    package static let removeForGood = Sentence("Remove it for good", "Endgültig entfernen")
    package static let keepTopic = Sentence("Keep it", "Behalten")
    package static let backToTopic = Sentence("Back to the topic", "Zurück zum Thema")
    package static let backToTopics = Sentence("Back to the topics", "Zurück zu den Themen")
}

/// Tokens.
extension Sentence {
    package static let tokens = Sentence("Tokens", "Token")
    package static let token = Sentence("Token", "Token")
    package static let rights = Sentence("It may", "Darf")
    package static let opens = Sentence("For the topics", "Für die Themen")
    package static let lastUse = Sentence("Last used", "Zuletzt benutzt")
    package static let neverUsed = Sentence("never", "nie")
    package static let noTokens = Sentence(
        "No token opens this topic.", "Kein Token öffnet dieses Thema.")
    package static let mayPush = Sentence("push", "senden")
    package static let mayRead = Sentence("read", "lesen")
    package static let mayAnswer = Sentence("answer", "antworten")
    package static let mayDelete = Sentence("delete", "löschen")
    package static let nameOfToken = Sentence(
        "Name of the new token: who has it", "Name des neuen Tokens: wer es hat")
    package static let whatTokenIsFor = Sentence("What it is for", "Wofür es ist")
    package static let tokenPushes = Sentence("pushes to this topic", "sendet an dieses Thema")
    package static let tokenReads = Sentence("reads this topic", "liest dieses Thema")
    package static let tokenPushesAndReads = Sentence("pushes and reads", "sendet und liest")
    package static let tokenReadsAndAnswers = Sentence(
        "reads, and answers questions", "liest und beantwortet Fragen")
    package static let tokenOfApplication = Sentence(
        "an application of Gotify, which pushes", "eine Anwendung von Gotify, die sendet")
    package static let tokenOfClient = Sentence(
        "a client of Gotify, which reads and deletes",
        "ein Client von Gotify, der liest und löscht")
    package static let makeToken = Sentence("Make a token", "Token anlegen")
    package static let tokenNeedsSignIn = Sentence(
        "A new token needs a sign-in that is no older than five minutes.",
        "Ein neues Token braucht eine Anmeldung, die höchstens fünf Minuten her ist.")
    package static let tokenMade = Sentence("The token %1", "Das Token %1")
    package static let tokenShownOnce = Sentence(
        "This token is secret and is shown only once, and so are the addresses that contain it. Copy "
            + "what you need before you leave.",
        "Dieses Token ist geheim und wird nur einmal gezeigt, ebenso die Adressen, in denen es steht. "
            + "Kopieren Sie, was Sie brauchen, bevor Sie die Seite verlassen.")
    package static let readLine = Sentence("Read what comes", "Lesen, was ankommt")
    package static let ntfyAddress = Sentence(
        "Programs that take one address for ntfy, such as Apprise",
        "Programme, die eine einzige Adresse für ntfy nehmen, etwa Apprise")
    package static let gotifyAddress = Sentence(
        "Programs that take one address for Gotify, such as Apprise",
        "Programme, die eine einzige Adresse für Gotify nehmen, etwa Apprise")
    package static let slackAddress = Sentence("As a webhook of Slack", "Als Webhook von Slack")
    package static let discordAddress = Sentence(
        "As a webhook of Discord", "Als Webhook von Discord")
    package static let pictureOfToken = Sentence(
        "QR code of the address with the token", "QR-Code der Adresse mit dem Token")
    package static let reallyRevokeToken = Sentence(
        "Revoke it now: who has it can do nothing with it any more",
        "Jetzt widerrufen: Wer es hat, kann nichts mehr damit tun")
    package static let copy = Sentence("Copy", "Kopieren")
    package static let isCopied = Sentence("Copied", "Kopiert")
}

/// What was done to topics, and what was not.
extension Sentence {
    package static let doneTopicMade = Sentence(
        "The topic is there. What pushes to it needs a token.",
        "Das Thema ist angelegt. Was dorthin sendet, braucht ein Token.")
    package static let doneTopicRemoved = Sentence(
        "The topic is removed.", "Das Thema ist entfernt.")
    package static let doneTopicChanged = Sentence("It is saved.", "Es ist gespeichert.")
    package static let doneTopicMuted = Sentence("The topic is muted.", "Das Thema ist stumm.")
    package static let doneTopicUnmuted = Sentence(
        "The topic is not muted any more.", "Das Thema ist nicht mehr stumm.")
    package static let doneTokenRevoked = Sentence(
        "The token is revoked.", "Das Token ist widerrufen.")

    package static let failedTopicName = Sentence(
        "A name has 1 to 64 letters, digits, - and _, and is no other address of this server.",
        "Ein Name hat 1 bis 64 Buchstaben, Ziffern, - und _ und ist keine andere Adresse dieses "
            + "Servers.")
    package static let failedTopicTaken = Sentence(
        "There is a topic of this name.", "Es gibt ein Thema dieses Namens.")
    package static let failedTopicLimit = Sentence(
        "There are as many topics as an owner may have.",
        "Es gibt so viele Themen, wie ein Besitzer haben darf.")
    package static let failedTopicText = Sentence(
        "A text is too long, or a time is none.", "Ein Text ist zu lang, oder eine Zeit ist keine.")
    package static let failedTopicOpen = Sentence(
        "On this server only an administrator may open a topic for everybody.",
        "Auf diesem Server darf nur ein Administrator ein Thema für alle öffnen.")
    package static let failedTokenName = Sentence(
        "There is a token or a device with this name, or the name is not 1 to 64 printable "
            + "characters.",
        "Es gibt ein Token oder ein Gerät dieses Namens, oder der Name hat nicht 1 bis 64 druckbare "
            + "Zeichen.")
    package static let failedTokenLimit = Sentence(
        "There are as many tokens as an owner may have.",
        "Es gibt so viele Token, wie ein Besitzer haben darf.")
}

/// Messages that are written on the page.
extension Sentence {
    package static let sendMessage = Sentence("Send a message", "Eine Nachricht senden")
    package static let send = Sentence("Send", "Senden")
    package static let textOfMessage = Sentence("Text", "Text")
    package static let isMarkdownText = Sentence(
        "the text is Markdown", "der Text ist Markdown")
    package static let priority = Sentence("Priority", "Priorität")
    package static let lowest = Sentence("lowest", "niedrigste")
    package static let low = Sentence("low", "niedrig")
    package static let usualPriority = Sentence("as usual", "wie üblich")
    package static let tagsOfMessage = Sentence(
        "Tags, with commas between them", "Schlagwörter, mit Kommas dazwischen")
    package static let clickOfMessage = Sentence(
        "What a click opens", "Was ein Klick öffnet")
    package static let delayOfMessage = Sentence(
        "Later: a time or how long from now, as 30m, 9am or tomorrow, 3pm",
        "Später: eine Zeit oder wie lange noch, auf Englisch, etwa 30m, 9am oder tomorrow, 3pm")
    package static let doneSent = Sentence("It is sent.", "Sie ist gesendet.")
    package static let doneDelayed = Sentence(
        "It will be sent then.", "Sie wird dann gesendet.")
    package static let failedMessageText = Sentence(
        "Title, text, tags or link are too long or not what they should be.",
        "Titel, Text, Schlagwörter oder Link sind zu lang oder nicht, was sie sein sollen.")
    package static let failedMessageDelay = Sentence(
        "The time is none that can be read, or it is not between 10 seconds and 3 days from now.",
        "Die Zeit ist nicht zu lesen oder liegt nicht 10 Sekunden bis 3 Tage voraus.")
}

/// Why somebody with a token or a device was refused at a topic.
extension Sentence {
    package static let lastRefusal = Sentence("last refusal", "letzte Ablehnung")
    package static let got = Sentence("got %1", "erhielt %1")

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
