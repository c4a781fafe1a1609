/// What the page with the messages says.
extension Sentence {
    package static let messages = Sentence("Messages", "Nachrichten")
    package static let pages = Sentence("Pages", "Seiten")
    package static let topic = Sentence("Topic", "Thema")
    package static let allTopics = Sentence("all topics", "alle Themen")
    package static let words = Sentence("Words", "Wörter")
    package static let search = Sentence("Search", "Suchen")
    package static let older = Sentence("Older messages", "Ältere Nachrichten")
    package static let newest = Sentence("The newest messages", "Die neuesten Nachrichten")
    package static let noMessages = Sentence(
        "There are no messages yet. Make a topic with bellwire topic add, and send to it.",
        "Es gibt noch keine Nachrichten. Legen Sie mit bellwire topic add ein Thema an, und senden "
            + "Sie ihm etwas.")
    package static let noneYet = Sentence(
        "Nothing has come to your topics yet.", "Ihren Themen wurde noch nichts gesendet.")
    package static let noneInTopic = Sentence(
        "Nothing has come to this topic, or it keeps nothing.",
        "Diesem Thema wurde nichts gesendet, oder es bewahrt nichts auf.")
    package static let noneFound = Sentence(
        "No message has these words.", "Keine Nachricht hat diese Wörter.")
    package static let noneFoundSoFar = Sentence(
        "Among those that were looked at, no message has these words.",
        "Unter denen, die durchgesehen sind, hat keine Nachricht diese Wörter.")
    package static let noMoreMessages = Sentence(
        "There are no older messages.", "Es gibt keine älteren Nachrichten.")
    package static let high = Sentence("high priority", "hohe Priorität")
    package static let urgent = Sentence("urgent", "dringend")
    package static let isUnread = Sentence("new", "neu")
    package static let markRead = Sentence("Mark as read", "Als gelesen markieren")
    package static let markUnread = Sentence("Mark as unread", "Als ungelesen markieren")
    package static let markAllRead = Sentence(
        "Mark all of these as read", "Alle diese Nachrichten als gelesen markieren")
    package static let delete = Sentence("Delete", "Löschen")
    package static let reallyDelete = Sentence(
        "Delete it now, here and on every device", "Jetzt löschen, hier und auf jedem Gerät")
    package static let doneRead = Sentence("Marked as read.", "Als gelesen markiert.")
    package static let doneUnread = Sentence("Marked as unread.", "Als ungelesen markiert.")
    package static let doneDeleted = Sentence(
        "The message is deleted.", "Die Nachricht ist gelöscht.")
    package static let pressDone = Sentence(
        "The request of the button was answered with %1.",
        "Die Anfrage der Schaltfläche wurde mit %1 beantwortet.")
    package static let pressFailed = Sentence(
        "The request of the button failed: it was answered with %1.",
        "Die Anfrage der Schaltfläche ist fehlgeschlagen: Sie wurde mit %1 beantwortet.")
    package static let pressUnsent = Sentence(
        "The request of the button was not sent: its server was not reached, or is not trusted.",
        "Die Anfrage der Schaltfläche wurde nicht gesendet: Der angefragte Server war nicht "
            + "erreichbar, oder ihm wird nicht vertraut.")
    package static let pressForbidden = Sentence(
        "The request of the button goes to an address that this server does not ask. Press it on a "
            + "desktop.",
        "Die Anfrage der Schaltfläche geht an eine Adresse, die dieser Server nicht anspricht. Drücken "
            + "Sie sie auf einem Desktop.")
    package static let pressUnknown = Sentence(
        "Nobody knows whether the request of the button was carried out.",
        "Niemand weiß, ob die Anfrage der Schaltfläche ausgeführt wurde.")
    package static let pressUnderWay = Sentence(
        "The request of the button is under way, or there are too many. Wait a moment.",
        "Die Anfrage der Schaltfläche ist unterwegs, oder es sind zu viele. "
            + "Warten Sie einen Moment.")
    package static let pressAgain = Sentence("Send it again", "Noch einmal senden")
    package static let failedOpenQuestion = Sentence(
        "This message asks something. Answer it or take it back first.",
        "Diese Nachricht fragt etwas. Antworten Sie zuerst, oder ziehen Sie die Frage zurück.")
    package static let dataOfSize = Sentence(
        "%1 that are no text", "%1, die kein Text sind")
    package static let pictureOf = Sentence("Picture of %1", "Bild zu %1")
}

/// Questions.
extension Sentence {
    package static let questions = Sentence("Questions", "Fragen")
    package static let ends = Sentence("ends", "endet")
    package static let ownAnswer = Sentence("Your answer", "Ihre Antwort")
    package static let answer = Sentence("Answer", "Antworten")
    package static let withdraw = Sentence("Take it back", "Zurückziehen")
    package static let reallyWithdraw = Sentence(
        "Take the question back now: whoever asks gets no answer",
        "Die Frage jetzt zurückziehen: Wer fragt, bekommt keine Antwort")
    package static let doneAnswered = Sentence(
        "The answer is given.", "Die Antwort ist gegeben.")
    package static let doneWithdrawn = Sentence(
        "The question is taken back.", "Die Frage ist zurückgezogen.")
    package static let doneLate = Sentence(
        "The question had ended before; its message says how.",
        "Die Frage war schon beendet; ihre Nachricht sagt, wie.")
    package static let failedAnswer = Sentence(
        "The question does not take this answer.", "Diese Antwort nimmt die Frage nicht an.")
}
