// The server as other programs see it: echoes what they send, until it is ended. Prints a line
// with its two ports, through TLS and in clear.
//
// Options, all of them optional but the first: --certificate FILE (with its key), --divide N (all
// time limits by so much), --connections N, --loops N, --records N (until the keys of TLS 1.3 are
// updated).

import Glibc

// A peer that hangs up is an error of a call, not the end.
signal(SIGPIPE, SIG_IGN)
do {
    let probe = try Probe(Options(CommandLine.arguments.dropFirst()))
    print("ready \(probe.encryptedPort) \(probe.plainPort)")
    fflush(nil)
    probe.serve()
} catch {
    print("failed: \(error)")
    exit(1)
}
