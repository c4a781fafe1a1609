// Joins its standard streams with a server, through Node's tls.
//
// usage: node through.js PORT SUITE GROUP again|once
//
// The end of the input is a close_notify.

const tls = require("tls");

const [port, suite, group, times] = process.argv.slice(2);

function connect(session, ready) {
  const socket = tls.connect(
    {
      port,
      session,
      ciphers: suite,
      ecdhCurve: group,
      host: "127.0.0.1",
      servername: "localhost",
      minVersion: "TLSv1.3",
      rejectUnauthorized: false,
      allowHalfOpen: true,
    },
    () => ready(socket),
  );
  socket.on("error", (error) => {
    console.error(error.message);
    process.exit(1);
  });
  return socket;
}

function join(session) {
  connect(session, (socket) => {
    console.error(socket.getCipher().standardName, socket.isSessionReused() ? "resumed" : "new");
    process.stdin.pipe(socket);
    socket.pipe(process.stdout);
  });
}

if (times === "again") {
  const first = connect(undefined, () => first.write("GET /bytes/10 HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  first.once("session", (session) => {
    first.once("data", () => first.destroy());
    join(session);
  });
} else {
  join(undefined);
}
