/// What the pages say.
extension Sentence {
    package static let signIn = Sentence("Sign in", "Anmelden")
    package static let signOut = Sentence("Sign out", "Abmelden")
    package static let code = Sentence("Code of the link", "Code aus dem Link")
    package static let howToSignIn = Sentence(
        "Run this command on the server and open the link that it prints:",
        "Führen Sie auf dem Server diesen Befehl aus und öffnen Sie den Link, den er ausgibt:")
    package static let codeByHand = Sentence(
        "Without JavaScript, paste the part of the link after the # sign.",
        "Ohne JavaScript fügen Sie hier den Teil des Links nach dem Zeichen # ein.")
    package static let codeRefused = Sentence(
        "This code is not valid. A link works once, for five minutes. "
            + "Make a new one with bellwire ui.",
        "Dieser Code gilt nicht. Ein Link gilt einmal und fünf Minuten lang. "
            + "Erzeugen Sie mit bellwire ui einen neuen.")

    package static let thisServer = Sentence("A push service", "Ein Push-Dienst")
    package static let whatThisIs = Sentence(
        "This is Bellwire, a push service. It takes short messages from servers and delivers them to "
            + "browsers, desktops and phones.",
        "Das ist Bellwire, ein Push-Dienst. Er nimmt kurze Nachrichten von Servern an und stellt "
            + "sie Browsern, Desktops und Telefonen zu.")
    package static let whoConnects = Sentence(
        "Programs use this address by themselves. There is nothing to do here with a browser.",
        "Programme benutzen diese Adresse von selbst. Mit einem Browser gibt es hier nichts zu tun."
    )
    package static let toTheStatus = Sentence(
        "Open the messages and the status", "Zu den Nachrichten und zum Zustand")
    package static let forWhoRunsIt = Sentence(
        "They are for the people who use this server. A link to sign in is printed by",
        "Sie sind für die Leute, die diesen Server benutzen. Einen Link zum Anmelden gibt aus:")

    package static let skip = Sentence("Skip to the contents", "Zum Inhalt springen")
    package static let status = Sentence("Status", "Zustand")
    package static let server = Sentence("Server", "Server")
    package static let plots = Sentence("Rate and latency", "Durchsatz und Latenz")
    package static let registrations = Sentence("Registrations", "Registrierungen")
    package static let devices = Sentence("Devices", "Geräte")
    package static let errors = Sentence("Errors", "Fehler")
    package static let events = Sentence("Last events", "Letzte Ereignisse")

    package static let version = Sentence("Version", "Version")
    package static let address = Sentence("Address", "Adresse")
    package static let runsSince = Sentence("Runs since", "Läuft seit")
    package static let store = Sentence("Store", "Speicher")
    package static let storeWorks = Sentence("works", "arbeitet")
    package static let storeFails = Sentence(
        "cannot be used; pushes are refused for now",
        "ist nicht benutzbar; Pushes werden vorerst abgelehnt")
    package static let waiting = Sentence("Waiting messages", "Wartende Nachrichten")
    package static let kept = Sentence("Messages kept by topics", "In Themen aufbewahrt")
    package static let waitingBytes = Sentence("%1 (%2)", "%1 (%2)")
    package static let clients = Sentence("Connected clients", "Verbundene Clients")
    package static let youSee = Sentence("You see", "Sie sehen")
    package static let everything = Sentence("everything on this server", "alles auf diesem Server")
    package static let onlyOwn = Sentence(
        "what belongs to %1", "was %1 gehört")

    package static let accepted = Sentence("Accepted", "Angenommen")
    package static let delivered = Sentence("Delivered", "Zugestellt")
    package static let acceptedASecond = Sentence(
        "Accepted a second", "Angenommen pro Sekunde")
    package static let latency = Sentence(
        "Time to the answer, milliseconds", "Zeit bis zur Antwort, Millisekunden")
    package static let sinceStart = Sentence("since the start", "seit dem Start")
    package static let percentile = Sentence(
        "%1 % are answered within", "%1 % sind beantwortet in")
    package static let milliseconds = Sentence("%1 ms", "%1 ms")
    package static let over = Sentence("over %1 ms", "über %1 ms")

    package static let application = Sentence("Application", "Anwendung")
    package static let account = Sentence("Account", "Konto")
    package static let owner = Sentence("Owner", "Besitzer")
    package static let lastPush = Sentence("Last push", "Letzter Push")
    package static let noScreen = Sentence("no screen", "kein Bildschirm")
    package static let noPush = Sentence("none since the start", "keiner seit dem Start")
    package static let waits = Sentence("Waiting", "Wartend")
    package static let expires = Sentence("Ends", "Endet")
    package static let neverEnds = Sentence("never", "nie")
    package static let actions = Sentence("Actions", "Aktionen")
    package static let sendTest = Sentence("Send a test", "Test senden")
    package static let chats = Sentence("Chats", "Chats")
    package static let chatsOf = Sentence("Chats of %1", "Chats von %1")
    package static let revoke = Sentence("Revoke", "Widerrufen")
    package static let reallyRevoke = Sentence(
        "Revoke it now: pushes to it get 410, and its sender forgets it",
        "Jetzt widerrufen: Pushes erhalten 410, und der Absender vergisst die Registrierung")
    package static let noRegistrations = Sentence(
        "There is no registration. Make one with bellwire register or bellwire topic add.",
        "Es gibt keine Registrierung. Sie entsteht mit bellwire register oder bellwire topic add.")
    package static let more = Sentence(
        "There are more; bellwire registration list shows all.",
        "Es gibt weitere; bellwire registration list zeigt alle.")

    package static let name = Sentence("Name", "Name")
    package static let presence = Sentence("Presence", "Anwesenheit")
    package static let connected = Sentence("connected", "verbunden")
    package static let lastSeen = Sentence("last seen", "zuletzt gesehen")
    package static let neverSeen = Sentence("never seen", "nie gesehen")
    package static let notLetIn = Sentence(
        "not let in since the restore", "seit der Wiederherstellung nicht zugelassen")
    package static let letIn = Sentence("Let in", "Zulassen")
    package static let remove = Sentence("Remove", "Entfernen")
    package static let reallyRemove = Sentence(
        "Remove it now: its secret and its subscriptions end",
        "Jetzt entfernen: Geheimnis und Abonnements enden")
    package static let noDevices = Sentence("There is no device.", "Es gibt kein Gerät.")
    package static let addDevice = Sentence("Add a device", "Gerät hinzufügen")
    package static let nameOfDevice = Sentence("Name of the new device", "Name des neuen Geräts")
    package static let add = Sentence("Add", "Hinzufügen")
    package static let forMore = Sentence(
        "also for another desktop with Bellwire, or programs that ask the API",
        "auch für einen weiteren Desktop mit Bellwire oder Programme, die die API benutzen")
    package static let receivesOnly = Sentence("receives only", "empfängt nur")
}

/// A new device, the chats of an account, and what happened.
extension Sentence {
    package static let deviceMayConnect = Sentence("%1 may connect", "%1 darf sich verbinden")
    package static let shownOnce = Sentence(
        "These addresses are secret and are shown only once. Copy what you need before you leave.",
        "Diese Adressen sind geheim und werden nur einmal gezeigt. "
            + "Kopieren Sie, was Sie brauchen, bevor Sie die Seite verlassen.")
    package static let forFirefox = Sentence(
        "Firefox: in about:config, set dom.push.serverURL to",
        "Firefox: setzen Sie in about:config dom.push.serverURL auf")
    package static let forDesktop = Sentence(
        "Another desktop with Bellwire: add this line to ~/.config/bellwire/receivers",
        "Ein weiterer Desktop mit Bellwire: fügen Sie diese Zeile zu ~/.config/bellwire/receivers "
            + "hinzu")
    package static let forKUnifiedPush = Sentence(
        "KUnifiedPush: choose the provider Autopush, and set its Url to",
        "KUnifiedPush: wählen Sie den Anbieter Autopush und setzen Sie dessen Url auf")
    package static let forPhone = Sentence(
        "Sunup on a phone: scan the picture, and use the address as its server",
        "Sunup auf einem Telefon: scannen Sie das Bild und nehmen Sie die Adresse als Server")
    package static let forPrograms = Sentence(
        "A program that asks the API: send this as its bearer secret",
        "Ein Programm, das die API benutzt: senden Sie dies als Bearer-Geheimnis")
    package static let pictureOfAddress = Sentence(
        "QR code of the address for a phone", "QR-Code der Adresse für ein Telefon")
    package static let back = Sentence("Back to the status", "Zurück zum Zustand")

    package static let pause = Sentence("Pause", "Pausieren")
    package static let isPaused = Sentence(
        "This account is paused: notifications make no sound, and calls do not ring.",
        "Dieses Konto ist pausiert: Benachrichtigungen und Anrufe bleiben stumm.")
    package static let isNotPaused = Sentence(
        "This account is not paused.", "Dieses Konto ist nicht pausiert.")
    package static let unpause = Sentence("End the pause", "Pause beenden")
    package static let howLong = Sentence("How long", "Wie lange")
    package static let anHour = Sentence("1 hour", "1 Stunde")
    package static let eightHours = Sentence("8 hours", "8 Stunden")
    package static let aDay = Sentence("1 day", "1 Tag")
    package static let forGood = Sentence("for good", "dauerhaft")
    package static let chat = Sentence("Chat", "Chat")
    package static let kind = Sentence("Kind", "Art")
    package static let notifications = Sentence("Notifications", "Benachrichtigungen")
    package static let mute = Sentence("Mute", "Stummschalten")
    package static let unmute = Sentence("Unmute", "Stummschaltung aufheben")
    package static let isMuted = Sentence("muted", "stumm")
    package static let noChats = Sentence(
        "There are no chats yet. A chat appears with its first notification.",
        "Es gibt noch keine Chats. Ein Chat erscheint mit seiner ersten Benachrichtigung.")

    package static let doneTest = Sentence(
        "The test was sent to every client that is connected to this account.",
        "Der Test ist an jeden Client gegangen, der mit diesem Konto verbunden ist.")
    package static let doneTestUnheard = Sentence(
        "The test was sent, but no client is connected to this account, so nobody sees it now.",
        "Der Test ist gesendet, aber kein Client ist mit diesem Konto verbunden; "
            + "jetzt sieht ihn niemand.")
    package static let doneRevoked = Sentence(
        "The registration is revoked.", "Die Registrierung ist widerrufen.")
    package static let doneRemoved = Sentence("The device is removed.", "Das Gerät ist entfernt.")
    package static let doneLetIn = Sentence("The device is let in.", "Das Gerät ist zugelassen.")
    package static let donePaused = Sentence("The account is paused.", "Das Konto ist pausiert.")
    package static let doneUnpaused = Sentence(
        "The account is not paused any more.", "Das Konto ist nicht mehr pausiert.")
    package static let doneMuted = Sentence("The chat is muted.", "Der Chat ist stumm.")
    package static let doneUnmuted = Sentence(
        "The chat is not muted any more.", "Der Chat ist nicht mehr stumm.")

    package static let failed = Sentence("That did not work", "Das hat nicht geklappt")
    package static let failedName = Sentence(
        "There is a device with this name, or the name is not 1 to 64 printable characters.",
        "Es gibt ein Gerät dieses Namens, oder der Name hat nicht 1 bis 64 druckbare Zeichen.")
    package static let failedLimit = Sentence(
        "There are as many devices as an owner may have.",
        "Es gibt so viele Geräte, wie ein Besitzer haben darf.")
    package static let failedGone = Sentence(
        "It does not exist any more, or belongs to somebody else.",
        "Es existiert nicht mehr oder gehört jemand anderem.")
    package static let failedPlace = Sentence(
        "There is nothing at this address.", "Unter dieser Adresse gibt es nichts.")
    package static let failedForeign = Sentence(
        "The request came from a page of another site. Open this page yourself.",
        "Die Anfrage kam von einer fremden Seite. Öffnen Sie diese Seite selbst.")
    package static let failedSearch = Sentence(
        "These are too many words to search for.", "So viele Wörter lassen sich nicht suchen.")
    package static let failedLater = Sentence(
        "The server cannot do that now. Try again later.",
        "Der Server kann das jetzt nicht. Versuchen Sie es später noch einmal.")
    package static let failedForm = Sentence(
        "The form is out of date. Go back, load the page again and repeat the step.",
        "Das Formular ist veraltet. Gehen Sie zurück, laden Sie die Seite neu und "
            + "wiederholen Sie den Schritt.")
    package static let offline = Sentence(
        "The server does not answer; this page shows what was.",
        "Der Server antwortet nicht; diese Seite zeigt den letzten Stand.")
}

/// Events.
extension Sentence {
    package static let time = Sentence("Time", "Zeit")
    package static let now = Sentence("just now", "gerade eben")
    package static let minutesAgo = Sentence("%1 min ago", "vor %1 Min.")
    package static let hoursAgo = Sentence("%1 h ago", "vor %1 Std.")
    package static let daysAgo = Sentence("%1 days ago", "vor %1 Tagen")
    package static let inMinutes = Sentence("in %1 min", "in %1 Min.")
    package static let inHours = Sentence("in %1 h", "in %1 Std.")
    package static let inDays = Sentence("in %1 days", "in %1 Tagen")
    package static let event = Sentence("Event", "Ereignis")
    package static let who = Sentence("Who", "Wer")
    package static let noEvents = Sentence(
        "Nothing has happened since the start.", "Seit dem Start ist nichts geschehen.")
    package static let unknownClient = Sentence("a client without a name", "ein Client ohne Namen")
    package static let nobody = Sentence("an unknown address", "eine unbekannte Adresse")
    package static let eventAccepted = Sentence("push accepted", "Push angenommen")
    package static let eventRefused = Sentence("push refused", "Push abgelehnt")
    package static let eventUndecryptable = Sentence(
        "push could not be read", "Push nicht lesbar")
    package static let eventDelivered = Sentence("message delivered", "Nachricht zugestellt")
    package static let eventConnected = Sentence("client came", "Client verbunden")
    package static let eventDisconnected = Sentence("client left", "Client getrennt")
    package static let eventCallback = Sentence("callback failed", "Callback fehlgeschlagen")
}
