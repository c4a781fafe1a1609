/// A value that holds keys, tokens, endpoints or message bodies: it prints as the name of its type
/// and shows nothing of what it holds to `dump` or a debugger's mirror.
package protocol Confidential: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{}

extension Confidential {
    package var description: String { "<\(Self.self)>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
