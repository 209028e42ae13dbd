package main

import (
	"bytes"
	"context"
	"net/http"

	"github.com/coder/websocket"
)

// Binary WebSocket messages over one connection. The library does not compress unless it is asked to.

type messages struct {
	connection *websocket.Conn
	payload    bytes.Buffer
}

func messagesOf(connection *websocket.Conn) *messages {
	connection.SetReadLimit(maxMessageBytes)
	return &messages{connection: connection}
}

func (m *messages) Close() { m.connection.Close(websocket.StatusNormalClosure, "") }

func (m *messages) Send(payload []byte) error {
	return m.connection.Write(context.Background(), websocket.MessageBinary, payload)
}

func (m *messages) Post(payload []byte) error { return m.Send(payload) }

func (m *messages) Flush() error { return nil }

func (m *messages) Receive() ([]byte, error) {
	_, reader, err := m.connection.Reader(context.Background())
	if err != nil {
		return nil, err
	}
	m.payload.Reset()
	_, err = m.payload.ReadFrom(reader)
	return m.payload.Bytes(), err
}

func serveWebSocket(o options, handle handler) (string, func(), error) {
	return serveHandler(o, func(response http.ResponseWriter, request *http.Request) {
		connection, err := websocket.Accept(response, request, nil)
		if err != nil {
			return
		}
		both := messagesOf(connection)
		defer both.Close()
		for {
			payload, err := both.Receive()
			if err != nil {
				return
			}
			if reply := handle(payload); reply != nil && both.Send(reply) != nil {
				return
			}
		}
	})
}

func connectWebSocket(o options) (client, error) {
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout())
	defer cancel()
	how := &websocket.DialOptions{HTTPClient: httpClient(o)}
	connection, _, err := websocket.Dial(ctx, "ws://"+o.Servers[0]+"/", how)
	if err != nil {
		return nil, err
	}
	return messagesOf(connection), nil
}
