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
