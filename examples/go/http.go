package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
)

// HTTP/1.1 by net/http: the payload is the body of a POST, and of its response. A message one way gets a response without
// content.

const octets = "application/octet-stream"

func serveHTTP(o options, handle handler) (string, func(), error) {
	return serveHandler(o, func(response http.ResponseWriter, request *http.Request) {
		body, err := readBody(request.Body, request.ContentLength, nil)
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		reply := handle(body)
		if reply == nil {
			response.WriteHeader(http.StatusNoContent)
			return
		}
		// Without a length, net/http would send a response of more than 2 KB in chunks.
		response.Header().Set("Content-Length", strconv.Itoa(len(reply)))
		response.Header().Set("Content-Type", octets)
		response.Write(reply)
	})
}

func serveHandler(o options, handler http.HandlerFunc) (string, func(), error) {
	inner, err := listen(o)
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: handler}
	go server.Serve(inner)
	return inner.Addr().String(), func() { server.Close() }, nil
}

type httpCaller struct {
	client *http.Client
	url    string
}

func connectHTTP(o options) (client, error) {
	return &httpCaller{httpClient(o), "http://" + o.Servers[0] + "/"}, nil
}

// httpClient keeps a connection for each request in flight. By default it would keep two, and ask for gzip.
func httpClient(o options) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return dial(ctx, o, address)
		},
		MaxIdleConnsPerHost: o.Window,
		DisableCompression:  true,
	}}
}

func (c *httpCaller) Close() { c.client.CloseIdleConnections() }

func (c *httpCaller) Call(request, memory []byte) ([]byte, error) {
	return c.exchange(request, memory, http.StatusOK)
}

func (c *httpCaller) Post(message []byte) error {
	_, err := c.exchange(message, nil, http.StatusNoContent)
	return err
}

func (c *httpCaller) Flush() error { return nil }

func (c *httpCaller) exchange(request, memory []byte, status int) ([]byte, error) {
	response, err := c.client.Post(c.url, octets, bytes.NewReader(request))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != status {
		return nil, fmt.Errorf("the HTTP server answered %s", response.Status)
	}
	return readBody(response.Body, response.ContentLength, memory)
}

// readBody reads into the given memory if it is enough.
func readBody(body io.Reader, length int64, memory []byte) ([]byte, error) {
	if length < 0 {
		return io.ReadAll(io.LimitReader(body, maxMessageBytes))
	}
	if length > maxMessageBytes {
		return nil, fmt.Errorf("a body declares %d bytes", length)
	}
	if int64(cap(memory)) < length {
		memory = make([]byte, length)
	}
	_, err := io.ReadFull(body, memory[:length])
	return memory[:length], err
}
