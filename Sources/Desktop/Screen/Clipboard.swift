import Bus
import System

/// Puts texts into the clipboard of the session.
///
/// A clipboard is a program that answers for a text as long as nobody copies another one. Here a
/// program does that which is made for it: KDE's own, or else one of those for Wayland and X11, which
/// get the text through a pipe.
///
/// Only the thread of the loop uses it.
final class Clipboard {
    private static let klipper = "org.kde.klipper"
    private static let limit = Duration.seconds(2)

    private let errands: Errands
    private var connection: BusConnection?

    init(on loop: EventLoop) {
        errands = Errands(on: loop, limit: Self.limit * 4, atMost: 4)
    }

    /// Sets the connection for further texts; nil for none.
    func use(_ connection: BusConnection?) { self.connection = connection }

    /// Tells whether somebody has the text.
    func put(_ text: String, _ done: @escaping (Bool) -> Void) {
        guard let connection else { return run(text, done) }
        let call = BusMethodCall(
            to: Self.klipper, path: "/klipper", interface: "org.kde.klipper.klipper",
            member: "setClipboardContents", [.string(text)], startsService: false)
        connection.call(call) { [weak self] reply in
            if case .success = reply { done(true) } else { self?.run(text, done) }
        }
    }

    private func run(_ text: String, _ done: @escaping (Bool) -> Void) {
        let programs = Self.programs
        errands.run {
            programs.contains { program in
                // One that is not installed counts like one that fails.
                let hasRun = try? ChildProcesses.run(
                    program, input: Array(text.utf8), limit: Self.limit)
                return hasRun == true
            }
        } done: {
            done($0 == true)
        }
    }

    /// Those for the screens of this session, in the order in which they are tried.
    private static var programs: [[String]] {
        func has(_ variable: String) -> Bool { Environment[variable]?.isEmpty == false }
        var programs: [[String]] = []
        if has("WAYLAND_DISPLAY") { programs.append(["wl-copy", "--type", "text/plain"]) }
        if has("DISPLAY") {
            programs.append(["xclip", "-selection", "clipboard", "-in"])
            programs.append(["xsel", "--clipboard", "--input"])
        }
        return programs
    }
}
