/// A value that holds keys, tokens, endpoints or message bodies. It prints only the name of its
/// type, also to `dump` and debuggers.
package protocol Confidential: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{}

extension Confidential {
    package var description: String { "<\(Self.self)>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
