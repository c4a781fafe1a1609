/// How much a store contains.
package struct StoreFigures: Equatable, Sendable {
    package var devices = 0
    package var endpoints = 0
    package var messages = 0
}
