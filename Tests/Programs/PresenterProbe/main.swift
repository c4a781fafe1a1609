// Shows what an engine says on the session bus's notification server.
//
// usage: PresenterProbe FOLDER [service NAME] [engine DEVICE-URL APP ACCOUNT]
//
// Remembers in FOLDER what is on the screen. Reads updates of an engine from standard input, one
// JSON object a line, and prints what is to be said to the engine, one a line; with `engine` it
// speaks with one over WebSocket instead. Prints "ready" first, and ends with standard input.

import Glibc

signal(SIGPIPE, SIG_IGN)
do {
    try PresenterProbe.run(CommandLine.arguments.dropFirst())
} catch {
    print("failed: \(error)")
    exit(1)
}
