/// The languages that the program speaks to people in.
package enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"

    /// The language of a locale such as `de_AT.UTF-8`; English if it is none of ours.
    package init(locale: String) {
        self = Self(code: locale.prefix { $0 != "_" && $0 != "." && $0 != "@" }) ?? .english
    }

    /// The first of our languages in a field Accept-Language (RFC 9110 section 12.5.4). Browsers list
    /// the languages by preference, so the weights are not needed.
    package init(accepted field: String) {
        let codes = field.split(separator: ",").lazy.map { item in
            item.drop { $0 == " " }.prefix { $0 != "-" && $0 != ";" && $0 != " " }
        }
        self = codes.compactMap { Self(code: $0) }.first ?? .english
    }

    private init?(code: Substring) { self.init(rawValue: code.lowercased()) }
}

/// A sentence for people, in all languages. `%1`, `%2` and so on stand for values.
package struct Sentence: Sendable {
    private let english: String
    private let german: String

    init(_ english: String, _ german: String) {
        self.english = english
        self.german = german
    }

    package func text(_ language: Language, _ values: String...) -> String {
        text(language, values)
    }

    package func text(_ language: Language, _ values: [String]) -> String {
        let text =
            switch language {
            case .english: english
            case .german: german
            }
        guard !values.isEmpty else { return text }
        return text[...].filled(at: "%") { rest in
            guard let number = rest.popFirst()?.wholeNumberValue,
                values.indices.contains(number - 1)
            else { return nil }
            return values[number - 1]
        }
    }

    /// How often each place occurs. It is the same in all languages.
    package func places(in language: Language) -> [Int] {
        let parts = text(language).split(separator: "%", omittingEmptySubsequences: false)
        return parts.dropFirst().compactMap { $0.first?.wholeNumberValue }.sorted()
    }
}

extension Language {
    package func say(_ sentence: TerminalSentence, _ values: String...) -> String {
        sentence.sentence.text(self, values)
    }
}

/// What a refusal means, by its word in logs and metrics.
extension Sentence {
    package static let count = Sentence("Count", "Anzahl")
    package static let error = Sentence("Error", "Fehler")
    package static let meaning = Sentence("What it means", "Bedeutung")
    package static let noErrors = Sentence(
        "No push was refused since the start.", "Seit dem Start wurde kein Push abgelehnt.")
    package static let troubleOfStore = Sentence(
        "The store cannot be used; pushes are refused for now.",
        "Der Speicher ist nicht benutzbar; Pushes werden vorerst abgelehnt.")
    package static let troubleOfDevices = Sentence(
        "Devices wait to be let in since the restore.",
        "Geräte warten seit der Wiederherstellung darauf, zugelassen zu werden.")

    package static func refusal(_ word: String) -> Sentence {
        refusals[word] ?? unreadable(word)
    }

    private static let refusals = [
        "unknown-token": Sentence(
            "The address was never made by this server, or is damaged. Subscribe again.",
            "Die Adresse stammt nicht von diesem Server oder ist beschädigt. Abonnieren Sie neu."),
        "unknown-version": Sentence(
            "The path of the address was changed. Use it exactly as you got it.",
            "Der Pfad der Adresse wurde geändert. Benutzen Sie sie unverändert."),
        "unauthorized": Sentence(
            "The signature is missing, expired or made with another key.",
            "Die Signatur fehlt, ist abgelaufen oder von einem anderen Schlüssel."),
        "gone": Sentence(
            "The subscription has ended. The sender should forget it.",
            "Das Abonnement ist beendet. Der Absender sollte es vergessen."),
        "too-large": Sentence(
            "The push is too large. Send at most 4,096 bytes of text.",
            "Der Push ist zu groß. Senden Sie höchstens 4.096 Bytes Text."),
        "missing-ttl": Sentence(
            "The field TTL is missing. It says how many seconds the push is kept.",
            "Das Feld TTL fehlt. Es sagt, wie viele Sekunden der Push aufbewahrt wird."),
        "bad-encryption-fields": Sentence(
            "The push does not say correctly how it is encrypted.",
            "Der Push sagt nicht richtig, wie er verschlüsselt ist."),
        "negative-ttl": Sentence("The TTL is below zero.", "Die TTL ist kleiner als null."),
        "bad-topic": Sentence(
            "The topic is too long or has characters that are not allowed.",
            "Das Topic ist zu lang oder hat unerlaubte Zeichen."),
        "not-text": Sentence(
            "A plain push is not UTF-8 text, so it cannot be shown.",
            "Ein unverschlüsselter Push ist kein UTF-8-Text und kann nicht gezeigt werden."),
        "bad-script-fields": Sentence(
            "A plain push asks for something that cannot be done, such as a delay. "
                + "The answer to its sender says what.",
            "Ein unverschlüsselter Push verlangt etwas, das nicht geht, etwa eine Verzögerung. "
                + "Die Antwort an den Absender sagt, was."),
        "bad-message-id": Sentence(
            "A message was withdrawn by an id that this server never made.",
            "Eine Nachricht wurde mit einer fremden Kennung zurückgezogen."),
        "too-many": Sentence(
            "The room for waiting messages is full, because a client was away for long.",
            "Der Platz für wartende Nachrichten ist voll, weil ein Client lange fort war."),
        "unavailable": Sentence(
            "The store is busy, full or broken. The server's log says more.",
            "Der Speicher ist überlastet, voll oder defekt. Das Protokoll sagt mehr."),
        "missing": Sentence(
            "The address may be newer than the backup that was restored.",
            "Die Adresse ist vielleicht neuer als die wiederhergestellte Sicherung."),
        "set-aside": Sentence(
            "The server crashed on this push twice. bellwire check shows it.",
            "Der Server ist an diesem Push zweimal abgestürzt. bellwire check zeigt ihn."),
        "clocks-differ": Sentence(
            "The clocks of sender and server differ. Set them.",
            "Die Uhren von Absender und Server gehen verschieden. Stellen Sie sie."),
        "unknown-origin": Sentence(
            "The sender used a name of this server that is not in the configuration. "
                + "Add it as alias.",
            "Der Absender benutzte einen Namen dieses Servers, der nicht in der Konfiguration "
                + "steht. Fügen Sie ihn als alias hinzu."),
        "not-encrypted": Sentence(
            "The push was not encrypted, and this registration takes only encrypted ones.",
            "Der Push war unverschlüsselt, und diese Registrierung nimmt nur verschlüsselte."),
        "no-p": Sentence(
            "The push lacks the second encryption that the registration asks for.",
            "Dem Push fehlt die zweite Verschlüsselung, die die Registrierung verlangt."),
    ]

    private static func unreadable(_ word: String) -> Sentence {
        Sentence(
            "A push arrived that could not be decrypted or understood (\(word)).",
            "Ein Push war nicht zu entschlüsseln oder zu verstehen (\(word)).")
    }
}

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
    package static let again = Sentence("Again: %1", "Noch einmal: %1")
    package static let buttonSent = Sentence(
        "%1: sent, no answer yet", "%1: gesendet, noch keine Antwort")
    package static let buttonDone = Sentence("%1: %2", "%1: %2")
    package static let buttonFailed = Sentence("%1: failed: %2", "%1: fehlgeschlagen: %2")
    package static let buttonUnknown = Sentence(
        "%1: unknown whether it ran", "%1: unbekannt, ob es ausgeführt wurde")
    package static let buttonCopied = Sentence("%1: copied", "%1: kopiert")
    package static let buttonUnreached = Sentence("not reached", "nicht erreicht")
    package static let buttonForbidden = Sentence(
        "its address is not allowed", "ihre Adresse ist nicht erlaubt")
    package static let buttonUntrusted = Sentence(
        "its certificate is not trusted", "ihrem Zertifikat wird nicht vertraut")
    package static let buttonUnnoted = Sentence(
        "it could not be noted", "es konnte nicht vermerkt werden")
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
