/// Every sentence of `bellwire watch` and `bellwire top` on a terminal.
package enum TerminalSentence: CaseIterable, Sendable {
    case notifications, oneNotification, noNotifications, waiting, connecting
    case watchHints, topHints, overlayHint
    case moveKeys, openKeys, dismissKeys, dismissGroupKeys, muteKeys, unmuteKeys, replyKeys
    case redrawKeys, helpKeys, quitKeys, tableKeys, nextTableKeys
    case muteChoice, muted, mutedUntil, mutedFor, unmuted
    case replyPrompt, replied, noReply, replyHint
    case opened, told, linkShown, linkRefused, link, onlyDismiss, notNow, noChat
    case dismissed, dismissedGroup, refused, revoked, unread, fetch, paused, noScreen
    case registrations, devices, errors, events, nothing
    case account, service, lastDelivery, waitingCount, state, expires
    case name, owner, connected, lastSeen, created, yes, no
    case number, status, count, message, time, kind, subject, detail
    case uptime, rate, totals, waitingMessages, slowest, clients, unusable, never, advice

    package var sentence: Sentence { Sentence(texts.0, texts.1) }

    private var texts: (String, String) {
        switch self {
        case .notifications: ("%1 notifications", "%1 Benachrichtigungen")
        case .oneNotification: ("1 notification", "1 Benachrichtigung")
        case .noNotifications:
            (
                "no notifications; new ones appear here",
                "keine Benachrichtigungen; neue erscheinen hier"
            )
        case .waiting: ("the server is away; waiting for it", "der Server ist weg; warte auf ihn")
        case .connecting: ("connecting", "verbinde")
        case .watchHints:
            (
                "enter open  d dismiss  m mute  r reply  ? help  q quit",
                "Enter öffnen  d weg  m stumm  r antworten  ? Hilfe  q Ende"
            )
        case .topHints:
            (
                "tab next table  1-4 tables  ? help  q quit",
                "Tab nächste Tabelle  1-4 Tabellen  ? Hilfe  q Ende"
            )
        case .overlayHint: ("any key goes back", "jede Taste führt zurück")
        case .moveKeys:
            (
                "move the selection, by lines, pages or to the ends",
                "die Auswahl bewegen, um Zeilen, Seiten oder an die Enden"
            )
        case .openKeys:
            ("open: the link, or the application", "öffnen: den Link oder die Anwendung")
        case .dismissKeys: ("dismiss the notification", "die Benachrichtigung verwerfen")
        case .dismissGroupKeys: ("dismiss all of the chat", "alle des Chats verwerfen")
        case .muteKeys:
            (
                "mute the chat, for a time or for good",
                "den Chat stumm schalten, für eine Zeit oder für immer"
            )
        case .unmuteKeys: ("unmute the chat", "den Chat nicht mehr stumm schalten")
        case .replyKeys:
            (
                "reply, where the application takes replies",
                "antworten, wo die Anwendung Antworten annimmt"
            )
        case .redrawKeys: ("draw the screen again", "den Bildschirm neu zeichnen")
        case .helpKeys: ("show these keys", "diese Tasten zeigen")
        case .quitKeys: ("quit", "beenden")
        case .tableKeys:
            (
                "registrations, devices, errors, events",
                "Registrierungen, Geräte, Fehler, Ereignisse"
            )
        case .nextTableKeys: ("the next table, the one before", "die nächste Tabelle, die davor")
        case .muteChoice:
            (
                "mute %1: 1 15 minutes  2 1 hour  3 8 hours  4 1 week  5 for good  esc no",
                "%1 stumm: 1 15 Minuten  2 1 Stunde  3 8 Stunden  4 1 Woche  5 immer  Esc nein"
            )
        case .muted: ("muted", "stumm")
        case .mutedUntil: ("%1 is muted until %2", "%1 ist stumm bis %2")
        case .mutedFor: ("%1 is muted for good", "%1 ist für immer stumm")
        case .unmuted: ("%1 is not muted", "%1 ist nicht stumm")
        case .replyPrompt: ("reply to %1: ", "Antwort an %1: ")
        case .replied: ("the reply is on its way", "die Antwort ist unterwegs")
        case .noReply:
            ("this application takes no replies", "diese Anwendung nimmt keine Antworten an")
        case .replyHint: ("enter sends  esc cancels", "Enter sendet  Esc bricht ab")
        case .opened: ("opened %1", "%1 geöffnet")
        case .told: ("the application is told", "die Anwendung erfährt es")
        case .linkShown:
            ("nothing here opens links; copy it:", "nichts öffnet hier Links; zum Kopieren:")
        case .linkRefused:
            (
                "links of this kind are not allowed; the application is told",
                "Links dieser Art sind nicht erlaubt; die Anwendung erfährt es"
            )
        case .link: ("link: %1", "Link: %1")
        case .onlyDismiss:
            (
                "it came unencrypted, so it can only be dismissed",
                "sie kam unverschlüsselt und kann nur verworfen werden"
            )
        case .notNow:
            (
                "the server is away; try again when it is back",
                "der Server ist weg; versuchen Sie es, wenn er zurück ist"
            )
        case .noChat:
            ("this notification belongs to no chat", "diese Benachrichtigung gehört zu keinem Chat")
        case .dismissed: ("dismissed", "verworfen")
        case .dismissedGroup: ("all of %1 dismissed", "alle von %1 verworfen")
        case .refused: ("the server refused: %1", "der Server lehnte ab: %1")
        case .revoked:
            ("the service has ended this session", "der Dienst hat diese Sitzung beendet")
        case .unread: ("%1 unread", "%1 ungelesen")
        case .fetch:
            (
                "there is something new that only the application can fetch",
                "es gibt Neues, das nur die Anwendung holen kann"
            )
        case .paused: ("paused", "pausiert")
        case .noScreen: ("no screen", "kein Bildschirm")
        case .registrations: ("registrations", "Registrierungen")
        case .devices: ("devices", "Geräte")
        case .errors: ("errors", "Fehler")
        case .events: ("events", "Ereignisse")
        case .nothing: ("nothing to show", "nichts zu zeigen")
        case .account: ("account", "Konto")
        case .service: ("service", "Dienst")
        case .lastDelivery: ("last delivery", "zuletzt")
        case .waitingCount: ("waiting", "warten")
        case .state: ("state", "Zustand")
        case .expires: ("expires", "endet")
        case .name: ("name", "Name")
        case .owner: ("owner", "Besitzer")
        case .connected: ("connected", "verbunden")
        case .lastSeen: ("last seen", "zuletzt da")
        case .created: ("created", "angelegt")
        case .yes: ("yes", "ja")
        case .no: ("no", "nein")
        case .number: ("number", "Nummer")
        case .status: ("status", "Status")
        case .count: ("count", "Anzahl")
        case .message: ("message", "Meldung")
        case .time: ("time", "Zeit")
        case .kind: ("kind", "Art")
        case .subject: ("subject", "Betreff")
        case .detail: ("detail", "Einzelheit")
        case .uptime: ("up %1", "seit %1")
        case .rate: ("%1 pushes/s", "%1 Pushes/s")
        case .totals:
            ("accepted %1  delivered %2  refused %3", "angenommen %1  zugestellt %2  abgelehnt %3")
        case .waitingMessages: ("waiting %1 (%2)", "warten %1 (%2)")
        case .slowest: ("half within %1  99 % within %2", "die Hälfte in %1  99 % in %2")
        case .clients: ("clients %1", "Clients %1")
        case .unusable: ("the server accepts no pushes", "der Server nimmt keine Pushes an")
        case .never: ("never", "nie")
        case .advice: ("advice: %1", "Rat: %1")
        }
    }
}
