// Pushes over one connection, as Go's own client does over HTTP/2, many at once.
//
// usage: pushes URL CERTIFICATE COUNT
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

// Fewer than the streams that may be open, or Go makes a second connection.
const atOnce = 50

func main() {
	log.SetFlags(0)
	count, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	client, connections := makeClient(os.Args[2])
	numbers := make(chan int)
	var workers sync.WaitGroup
	for worker := 0; worker < atOnce; worker++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for number := range numbers {
				if err := push(client, os.Args[1], number); err != nil {
					log.Fatalf("push %d: %v", number, err)
				}
			}
		}()
	}
	// Later ones find the connection that the first one has made.
	if err := push(client, os.Args[1], 0); err != nil {
		log.Fatal(err)
	}
	for number := 1; number < count; number++ {
		numbers <- number
	}
	close(numbers)
	workers.Wait()
	fmt.Println(count, "answers over", connections.Load(), "connections")
}

// The client, and how many connections it has made.
func makeClient(certificate string) (*http.Client, *atomic.Int64) {
	pem, err := os.ReadFile(certificate)
	if err != nil {
		log.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		log.Fatal("no certificate in ", certificate)
	}
	connections := new(atomic.Int64)
	return &http.Client{Transport: &http.Transport{
		ForceAttemptHTTP2: true,
		TLSClientConfig:   &tls.Config{RootCAs: roots},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			connections.Add(1)
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}}, connections
}

// Half of them are answered without a body, as pushes are, and half with what was sent.
func push(client *http.Client, url string, number int) error {
	body := bytes.Repeat([]byte{byte(number)}, number%2*(number%5000))
	request, err := http.NewRequest("POST", fmt.Sprintf("%s/%d", url, number), bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("TTL", "60")
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return err
	case answer.StatusCode != 200 || answer.ProtoMajor != 2:
		return fmt.Errorf("%s %s", answer.Proto, answer.Status)
	case answer.Header.Get("X-Target") != fmt.Sprintf("/%d", number):
		return fmt.Errorf("the answer is for %s", answer.Header.Get("X-Target"))
	case !bytes.Equal(read, body):
		return fmt.Errorf("%d bytes of %d came back", len(read), len(body))
	}
	return nil
}
