import Base
import Testing

@Suite("Languages")
struct LanguageTests {
    @Test("The first of our languages that the browser names is used")
    func accepted() {
        #expect(Language(accepted: "de-AT,de;q=0.9,en;q=0.8") == .german)
        #expect(Language(accepted: "fr, en-US;q=0.5, de;q=0.4") == .english)
        #expect(Language(accepted: "") == .english && Language(accepted: "zz") == .english)
        #expect(Language(accepted: "fr;q=1, DE;q=0.2") == .german)
    }

    @Test("The language of a locale is its first part")
    func locale() {
        #expect(Language(locale: "de_AT.UTF-8") == .german && Language(locale: "de") == .german)
        #expect(Language(locale: "C") == .english && Language(locale: "") == .english)
        #expect(Language(locale: "den_X") == .english)
    }

    @Test("Values take their places, and may look like places")
    func values() {
        #expect(Sentence.waitingBytes.text(.german, "1", "%2") == "1 (%2)")
        #expect(Sentence.onlyOwn.text(.english, "uid:7") == "what belongs to uid:7")
        #expect(Sentence.percentile.text(.english, "50") == "50 % are answered within")
        #expect(
            Language.english.say(.mutedUntil, "%2 100%", "12:00")
                == "%2 100% is muted until 12:00")
    }

    @Test(
        "Each sentence has the same places in both languages", arguments: TerminalSentence.allCases)
    func places(sentence: TerminalSentence) {
        let sentence = sentence.sentence
        #expect(sentence.places(in: .english) == sentence.places(in: .german))
        #expect(!sentence.text(.english).isEmpty && !sentence.text(.german).isEmpty)
    }
}
