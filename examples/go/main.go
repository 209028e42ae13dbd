// Servers and clients over five transports, each with the library that Go's users take, for `perf-battle --external`.
// README.md beside this file shows how to build and run them, docs/adapter-contract.md what they read and write.
//
//	perf-battle-go tcp|http|websocket|grpc|rabbitmq server|client
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"
)

// A transport has both ends. The address of a server is empty if clients reach it through a broker.
type transport struct {
	library string // the module whose version ready events name; empty: Go's own
	serve   func(o options, handle handler) (address string, close func(), err error)
	connect func(o options) (client, error)
}

var transports = map[string]transport{
	"tcp":       {"", serveTCP, connectTCP},
	"http":      {"", serveHTTP, connectHTTP},
	"websocket": {"github.com/coder/websocket", serveWebSocket, connectWebSocket},
	"grpc":      {"google.golang.org/grpc", serveGRPC, connectGRPC},
	"rabbitmq":  {"github.com/rabbitmq/amqp091-go", serveRabbitMQ, connectRabbitMQ},
}

// handler counts a request and makes its reply, in the memory of the request. A message one way has no reply: nil.
type handler func(request []byte) (reply []byte)

// client is a duplex or a caller. Post sends a message one way, and does not keep its memory. Flush returns when no
// answer to a post is missing.
type client interface {
	Post(message []byte) error
	Flush() error
	Close()
}

// duplex sends requests and receives their replies in the same order. One goroutine may send while another receives.
// A reply is valid until the next one.
type duplex interface {
	client
	Send(request []byte) error
	Receive() (reply []byte, err error)
}

// caller makes calls, also several at once. A caller may use memory for the reply.
type caller interface {
	client
	Call(request, memory []byte) (reply []byte, err error)
}

// As much as perf-battle allows, and what encodings add.
const maxMessageBytes = 65 << 20

func main() {
	if len(os.Args) == 3 && (os.Args[2] == "server" || os.Args[2] == "client") {
		if one, isKnown := transports[os.Args[1]]; isKnown {
			run(one, os.Args[2] == "server")
			return
		}
	}
	names := make([]string, 0, len(transports))
	for name := range transports {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Fprintf(os.Stderr, "Usage: perf-battle-go %s server|client\n", strings.Join(names, "|"))
	os.Exit(2)
}

// listener sets TCP_NODELAY as the battle asks. Go sets it by default.
type listener struct {
	net.Listener
	noDelay bool
}

func listen(o options) (net.Listener, error) {
	host := ""
	if o.ListenAddress != nil {
		host = *o.ListenAddress
	}
	inner, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(o.ServerPort)))
	return listener{inner, o.NoDelay}, err
}

func (l listener) Accept() (net.Conn, error) {
	connection, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return connection, connection.(*net.TCPConn).SetNoDelay(l.noDelay)
}

func dial(ctx context.Context, o options, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: o.timeout()}
	connection, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return connection, connection.(*net.TCPConn).SetNoDelay(o.NoDelay)
}

func (o options) timeout() time.Duration {
	return time.Duration(o.TimeoutMs * float64(time.Millisecond))
}
