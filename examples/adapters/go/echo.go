// A transport for perf-battle in Go: frames of a 4-byte length and a payload over TCP. docs/adapter-contract.md describes the
// JSON lines on standard input and output.
//
//	go build -o echo echo.go && perf-battle --external "Go=./echo server,./echo client"
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"time"
)

type event map[string]any

type part struct { // of a measurement; a bound that is null is 0 here
	PayloadBytes, Samples int
	DurationMs            float64
}

type options struct {
	part
	Workload, ListenAddress string
	TimeoutMs               float64
	NoDelay                 bool
	ServerPort              int
	Servers                 []string
	WarmUp                  []part
}

func write(one event) {
	json.NewEncoder(os.Stdout).Encode(one)
}

func must[Value any](value Value, err error) Value {
	if err != nil {
		write(event{"event": "error", "message": err.Error()})
		os.Exit(1)
	}
	return value
}

// A frame, its length included, in the given memory if it fits.
func receive(reader *bufio.Reader, frame []byte) ([]byte, error) {
	head, err := reader.Peek(4)
	if err != nil {
		return nil, err
	}
	size := 4 + int(binary.BigEndian.Uint32(head))
	if cap(frame) < size {
		frame = make([]byte, size)
	}
	_, err = io.ReadFull(reader, frame[:size])
	return frame[:size], err
}

var served atomic.Int64 // since the last mark

func accept(listener net.Listener, noDelay bool) {
	for {
		go echo(must(listener.Accept()).(*net.TCPConn), noDelay)
	}
}

func echo(connection *net.TCPConn, noDelay bool) {
	connection.SetNoDelay(noDelay)
	reader := bufio.NewReaderSize(connection, 65536)
	for frame, err := receive(reader, nil); err == nil; frame, err = receive(reader, frame) {
		served.Add(1)
		connection.Write(frame)
	}
	connection.Close()
}

// One request after the other. Only sending and receiving are timed.
func exchange(connection net.Conn, timeoutMs float64, p part) (samples []time.Duration, corrupted int) {
	reader, reply := bufio.NewReaderSize(connection, 65536), []byte(nil)
	request := binary.BigEndian.AppendUint32(nil, uint32(p.PayloadBytes))
	for value := uint32(1); len(request) < 4+p.PayloadBytes; value = value*1664525 + 1013904223 {
		request = append(request, byte(value>>24))
	}
	for begun := time.Now(); (p.Samples == 0 || len(samples) < p.Samples) &&
		(p.DurationMs == 0 || time.Since(begun).Seconds()*1000 < p.DurationMs); {
		copy(request[4:], fmt.Sprintf("%08x", len(samples)))
		before := time.Now()
		connection.SetDeadline(before.Add(time.Duration(timeoutMs * 1e6)))
		must(connection.Write(request))
		reply = must(receive(reader, reply))
		samples = append(samples, time.Since(before))
		if !bytes.Equal(reply, request) {
			corrupted++
		}
	}
	return samples, corrupted
}

func main() {
	o, connection, address, discarded := options{}, net.Conn(nil), "", 0
	// The program ends with its input, or after 5 s without a line: then the battle is gone.
	silence := time.AfterFunc(5*time.Second, func() { os.Exit(0) })
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); silence.Reset(5 * time.Second) {
		var next struct {
			Type    string
			Options options
		}
		must(0, json.Unmarshal(lines.Bytes(), &next))
		switch next.Type {
		case "configure":
			if o = next.Options; o.Workload != "rtt" {
				must(0, fmt.Errorf("this program measures only rtt"))
			} else if os.Args[1] == "client" && connection == nil {
				connection = must(net.Dial("tcp", o.Servers[0]))
				connection.(*net.TCPConn).SetNoDelay(o.NoDelay)
			} else if os.Args[1] == "server" && address == "" {
				listener := must(net.Listen("tcp", net.JoinHostPort(o.ListenAddress, fmt.Sprint(o.ServerPort))))
				address = listener.Addr().String()
				go accept(listener, o.NoDelay)
			}
			write(event{"event": "ready", "address": address, "details": event{"go": runtime.Version()}})
		case "mark":
			write(event{"event": "progress", "phase": "mark", "served": served.Swap(0)})
		case "start":
			go func() {
				discarded = 0
				for _, phase := range o.WarmUp {
					samples, _ := exchange(connection, o.TimeoutMs, phase)
					discarded += len(samples)
				}
				write(event{"event": "progress", "phase": "warm"})
			}()
		case "go":
			go func() {
				samples, corrupted := exchange(connection, o.TimeoutMs, o.part)
				write(event{"event": "progress", "phase": "measured"})
				write(event{"event": "result", "samplesNs": samples, "received": len(samples),
					"verified": len(samples), "corrupted": corrupted, "discarded": discarded})
			}()
		case "stop":
			return
		}
	}
}
