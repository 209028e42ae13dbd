// An adapter for perf-battle: an echo over HTTP. Replace the bodies of serve and connect by what you want to measure.
package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"time"
)

func serve(listener net.Listener) error {
	return http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		Served()
		payload, _ := io.ReadAll(request.Body)
		response.Write(payload)
	}))
}

func connect(address string, timeout time.Duration) (Ask, error) {
	client := http.Client{Timeout: timeout}
	return func(payload []byte) ([]byte, error) {
		reply, err := client.Post("http://"+address, "application/octet-stream", bytes.NewReader(payload))
		if err != nil {
			return nil, err
		}
		defer reply.Body.Close()
		return io.ReadAll(reply.Body)
	}, nil
}

func main() { Run(serve, connect) }
