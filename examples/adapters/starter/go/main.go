// An adapter for perf-battle: an echo over TCP, whose payloads follow their length. Replace serve and connect by what you want to measure.
package main

import (
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"time"
)

func main() { Run(serve, connect) }

func serve(host string, port int) (net.Addr, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go echo(connection)
		}
	}()
	return listener.Addr(), nil
}

func echo(connection net.Conn) {
	defer connection.Close()
	for {
		payload, err := read(connection)
		if err != nil {
			return
		}
		Served()
		if send(connection, payload) != nil {
			return
		}
	}
}

func connect(host string, port int, timeout time.Duration) (Ask, error) {
	connection, err := net.DialTimeout("tcp", net.JoinHostPort(host, strconv.Itoa(port)), timeout)
	if err != nil {
		return nil, err
	}
	return func(request []byte) ([]byte, error) {
		connection.SetDeadline(time.Now().Add(timeout))
		if err := send(connection, request); err != nil {
			return nil, err
		}
		return read(connection)
	}, nil
}

func send(connection net.Conn, payload []byte) error {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(payload)))
	_, err := (&net.Buffers{head, payload}).WriteTo(connection)
	return err
}

func read(connection net.Conn) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(connection, head[:]); err != nil {
		return nil, err
	}
	payload := make([]byte, binary.BigEndian.Uint32(head[:]))
	_, err := io.ReadFull(connection, payload)
	return payload, err
}
