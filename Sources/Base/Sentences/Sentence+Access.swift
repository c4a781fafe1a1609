/// What the page with sessions and passkeys says.
extension Sentence {
    package static let access = Sentence("Access", "Zugang")
    package static let sessions = Sentence("Signed in", "Angemeldet")
    package static let session = Sentence("Session", "Sitzung")
    package static let since = Sentence("Since", "Seit")
    package static let thisSession = Sentence("this browser", "dieser Browser")
    package static let otherSession = Sentence("another browser", "ein anderer Browser")
    package static let noSessions = Sentence("Nobody is signed in.", "Niemand ist angemeldet.")
    package static let end = Sentence("End", "Beenden")
    package static let doneSessionEnded = Sentence(
        "The session is ended.", "Die Sitzung ist beendet.")

    package static let passkeys = Sentence("Passkeys", "Passkeys")
    package static let whatPasskeysAre = Sentence(
        "With a passkey of your device or password manager you sign in without a link.",
        "Mit einem Passkey Ihres Geräts oder Passwortmanagers melden Sie sich ohne Link an.")
    package static let made = Sentence("Made", "Erzeugt")
    package static let lastUsed = Sentence("Last used", "Zuletzt benutzt")
    package static let noKeys = Sentence("There is no passkey.", "Es gibt keinen Passkey.")
    package static let nameOfKey = Sentence("Name of the new passkey", "Name des neuen Passkeys")
    package static let addKey = Sentence("Add a passkey", "Passkey hinzufügen")
    package static let reallyRemoveKey = Sentence(
        "Remove it now: nobody signs in with it any more",
        "Jetzt entfernen: Damit meldet sich niemand mehr an")
    package static let keysNeedSignIn = Sentence(
        "To make a passkey, sign in again: the sign-in must not be older than five minutes.",
        "Um einen Passkey zu erzeugen, melden Sie sich neu an: Die Anmeldung darf nicht älter als "
            + "fünf Minuten sein.")
    package static let keysNeedScript = Sentence(
        "Browsers make passkeys only with JavaScript.",
        "Browser erzeugen Passkeys nur mit JavaScript.")
    package static let useKey = Sentence("Sign in with a passkey", "Mit einem Passkey anmelden")
    package static let keyRefused = Sentence(
        "This passkey is not known here, or was removed.",
        "Dieser Passkey ist hier nicht bekannt oder wurde entfernt.")
    package static let failedKey = Sentence(
        "The browser's answer does not make a passkey. Try it again.",
        "Aus der Antwort des Browsers wird kein Passkey. Versuchen Sie es noch einmal.")
    package static let failedKeyName = Sentence(
        "There are as many passkeys as one may have, or this one is known, or the name is not 1 to 64 "
            + "printable characters.",
        "Es gibt so viele Passkeys, wie man haben darf, oder diesen gibt es schon, oder der Name hat "
            + "nicht 1 bis 64 druckbare Zeichen.")
    package static let doneKey = Sentence(
        "You can sign in with the new passkey.", "Sie können sich mit dem neuen Passkey anmelden.")
    package static let doneKeyRemoved = Sentence(
        "The passkey is removed.", "Der Passkey ist entfernt.")
}
