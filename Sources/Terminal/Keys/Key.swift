/// What the user typed.
package enum Key: Equatable, Sendable {
    /// One scalar; a character may come as several.
    case text(String)
    case paste(String)
    case enter, escape, tab, backTab, backspace, delete
    case up, down, left, right, home, end, pageUp, pageDown
    /// A letter with Ctrl, in lower case.
    case control(Character)
    /// A key that means nothing here.
    case other
}
