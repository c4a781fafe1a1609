// The callbacks of a store, for other programs to receive.
//
// usage: CallbackProbe FOLDER
//
// Keeps everything in FOLDER, prints "ready", and takes one command a line:
//
//   make ROW URL     makes a callback as by the control socket; prints its secret
//   crowd COUNT PORT makes so many, each to an address of its own of 127.0.0.0/8; prints "done"
//   add ROW TEXT     adds a push with that payload; prints "done" once it is committed
//   rotate ROW       prints a new secret
//   end ROW          ends it with a last event; prints "done"

import Glibc

signal(SIGPIPE, SIG_IGN)
guard let folder = CommandLine.arguments.dropFirst().first else { exit(2) }
do {
    let probe = try CallbackProbe(folder)
    print("ready")
    fflush(nil)
    while let line = readLine() {
        print(try probe.perform(line))
        fflush(nil)
    }
    probe.end()
} catch {
    print("failed: \(error)")
    exit(1)
}
