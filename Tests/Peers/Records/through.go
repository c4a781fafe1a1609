// Joins its standard streams with a server, through Go's crypto/tls.
//
// usage: through PORT GROUP again|once
//
// The end of the input is a close_notify. Go chooses the suite, and answers new keys but asks for none.
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"os"
)

var groups = map[string]tls.CurveID{"x25519": tls.X25519, "p256": tls.CurveP256}

func connect(config *tls.Config) *tls.Conn {
	connection, err := tls.Dial("tcp", "127.0.0.1:"+os.Args[1], config)
	if err != nil {
		log.Fatal(err)
	}
	return connection
}

// The ticket comes before the first data.
func leaveSession(config *tls.Config) {
	first := connect(config)
	if _, err := io.WriteString(first, "GET /bytes/10 HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		log.Fatal(err)
	}
	if _, err := first.Read(make([]byte, 10)); err != nil {
		log.Fatal(err)
	}
	first.Close()
}

func main() {
	log.SetFlags(0)
	config := &tls.Config{
		ServerName:         "localhost",
		InsecureSkipVerify: true,
		MinVersion:         tls.VersionTLS13,
		CurvePreferences:   []tls.CurveID{groups[os.Args[2]]},
		ClientSessionCache: tls.NewLRUClientSessionCache(1),
	}
	if os.Args[3] == "again" {
		leaveSession(config)
	}
	connection := connect(config)
	state, word := connection.ConnectionState(), "new"
	if state.DidResume {
		word = "resumed"
	}
	fmt.Fprintln(os.Stderr, tls.CipherSuiteName(state.CipherSuite), word)
	go func() {
		if _, err := io.Copy(connection, os.Stdin); err != nil {
			log.Fatal(err)
		}
		if err := connection.CloseWrite(); err != nil {
			log.Fatal(err)
		}
	}()
	// Only a close_notify ends it without an error.
	if _, err := io.Copy(os.Stdout, connection); err != nil {
		log.Fatal(err)
	}
}
