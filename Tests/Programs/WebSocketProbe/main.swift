// One end of a WebSocket for other programs to talk to, or to compare with.
//
//   (nothing)                 decodes frame streams: input, repeated: role ("s" or "c"), the length
//                             of a piece (4 bytes, big endian), the length of the bytes (the same),
//                             the bytes. Output: one JSON object a line.
//   serve [CERTIFICATE KEY]   serves WebSockets that echo on 127.0.0.1; prints "ready PORT"
//   connect URL [AUTHORITY]   a client that echoes until it is closed; prints how that ended

import Glibc

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case nil:
    var probe = DecoderProbe()
    while let report = probe.next() {
        print(report)
    }
    fflush(nil)
case "serve": try EchoServer.serve(certificate: arguments.dropFirst().first, key: arguments.last)
case "connect":
    let rest = Array(arguments.dropFirst())
    guard let url = rest.first else { exit(2) }
    try EchoClient.connect(url, authority: rest.dropFirst().first)
    fflush(nil)
default: exit(2)
}
