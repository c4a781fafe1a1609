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
    package static let isClosed = Sentence("closed", "geschlossen")
    package static let dataOfSize = Sentence(
        "%1 that are no text", "%1, die kein Text sind")
    package static let pictureOf = Sentence("Picture of %1", "Bild zu %1")
}
