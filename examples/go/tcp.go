package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
)

// Raw TCP by net: a frame is a length of four bytes, the highest first, and the payload.

const readBytes = 64 << 10

type frames struct {
	connection net.Conn
	reader     *bufio.Reader
	payload    []byte
	head       [4]byte // of what is sent
}

func framesOf(connection net.Conn) *frames {
	return &frames{connection: connection, reader: bufio.NewReaderSize(connection, readBytes)}
}

func (f *frames) Close() { f.connection.Close() }

// Send writes both parts by one system call.
func (f *frames) Send(payload []byte) error {
	binary.BigEndian.PutUint32(f.head[:], uint32(len(payload)))
	parts := net.Buffers{f.head[:], payload}
	_, err := parts.WriteTo(f.connection)
	return err
}

func (f *frames) Post(payload []byte) error { return f.Send(payload) }

func (f *frames) Flush() error { return nil }

func (f *frames) Receive() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(f.reader, head[:]); err != nil {
		return nil, err
	}
	size := int(binary.BigEndian.Uint32(head[:]))
	if size > maxMessageBytes {
		return nil, fmt.Errorf("a frame declares %d bytes", size)
	}
	if cap(f.payload) < size {
		f.payload = make([]byte, size)
	}
	f.payload = f.payload[:size]
	_, err := io.ReadFull(f.reader, f.payload)
	return f.payload, err
}

func serveTCP(o options, handle handler) (string, func(), error) {
	server, err := listen(o)
	if err != nil {
		return "", nil, err
	}
	go func() {
		for {
			connection, err := server.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				both := framesOf(connection)
				for {
					request, err := both.Receive()
					if err != nil {
						return
					}
					if reply := handle(request); reply != nil && both.Send(reply) != nil {
						return
					}
				}
			}()
		}
	}()
	return server.Addr().String(), func() { server.Close() }, nil
}

func connectTCP(o options) (client, error) {
	connection, err := dial(context.Background(), o, o.Servers[0])
	if err != nil {
		return nil, err
	}
	return framesOf(connection), nil
}
