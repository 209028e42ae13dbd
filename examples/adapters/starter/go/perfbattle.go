package main

// What perf-battle expects of two programs, a server and a client: JSON lines on standard input and output
// (perf-battle help adapter-contract). Run(serve, connect) does all of it.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// Serve serves on the listener until that fails; it calls Served for each request.
type Serve func(listener net.Listener) error

// Connect returns a function that sends a request to the server at host:port and returns its reply.
type Connect func(address string, timeout time.Duration) (Ask, error)

// Ask sends a request and returns its reply.
type Ask func(request []byte) ([]byte, error)

type part struct {
	PayloadBytes int      `json:"payloadBytes"`
	Samples      *int     `json:"samples"`
	DurationMs   *float64 `json:"durationMs"`
}

type options struct {
	part
	Workload      string   `json:"workload"`
	Reply         string   `json:"reply"`
	ListenAddress *string  `json:"listenAddress"`
	ServerPort    int      `json:"serverPort"`
	Servers       []string `json:"servers"`
	TimeoutMs     float64  `json:"timeoutMs"`
	WarmUp        []part   `json:"warmUp"`
}

type message struct {
	Type    string  `json:"type"`
	Options options `json:"options"`
}

var served atomic.Int64

// Served counts a request of the server.
func Served() { served.Add(1) }

// Run answers the battle until it stops this program, or is gone.
func Run(serve Serve, connect Connect) {
	if err := answer(serve, connect); err != nil {
		fail(err)
	}
}

func fail(err error) {
	write("error", map[string]any{"message": err.Error()})
	os.Exit(1)
}

func write(event string, fields map[string]any) {
	fields["event"] = event
	line, _ := json.Marshal(fields)
	fmt.Println(string(line))
}

// control ends this program with its input, and after 6 s without a line.
func control() <-chan message {
	messages := make(chan message, 1024)
	end := time.AfterFunc(6*time.Second, func() { os.Exit(0) })
	go func() {
		lines := bufio.NewReader(os.Stdin)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				os.Exit(0)
			}
			end.Reset(6 * time.Second)
			var one message
			if json.Unmarshal(line, &one) == nil {
				messages <- one
			}
		}
	}()
	return messages
}

func answer(serve Serve, connect Connect) error {
	isServer := len(os.Args) > 1 && os.Args[1] == "server"
	var settings options
	var listener net.Listener
	var ask Ask
	discarded := 0
	for one := range control() {
		var err error
		switch one.Type {
		case "stop":
			return nil
		case "configure":
			settings = one.Options
			if settings.Workload != "rtt" || (settings.Reply != "" && settings.Reply != "echo") {
				return fmt.Errorf("this program measures round trips with echoes only")
			}
			if isServer && listener == nil {
				host := ""
				if settings.ListenAddress != nil {
					host = *settings.ListenAddress
				}
				if listener, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(settings.ServerPort))); err == nil {
					go func() { fail(serve(listener)) }()
				}
			} else if !isServer && ask == nil {
				ask, err = connect(settings.Servers[0], time.Duration(settings.TimeoutMs*float64(time.Millisecond)))
			}
			if err != nil {
				return err
			}
			fields := map[string]any{}
			if isServer {
				fields["address"] = listener.Addr().String()
			}
			write("ready", fields)
		case "mark":
			write("progress", map[string]any{"phase": "mark", "served": served.Swap(0)})
		case "start":
			discarded = 0
			for _, one := range settings.WarmUp {
				samples, _, err := exchange(ask, one)
				if err != nil {
					return err
				}
				discarded += len(samples)
			}
			write("progress", map[string]any{"phase": "warm"})
		case "go":
			samples, corrupted, err := exchange(ask, settings.part)
			if err != nil {
				return err
			}
			write("progress", map[string]any{"phase": "measured"})
			count := len(samples)
			write("result", map[string]any{"samplesNs": samples, "received": count, "verified": count, "corrupted": corrupted, "discarded": discarded})
		}
	}
	return nil
}

// exchange makes round trips one after the other. Only the request and its reply are timed; every byte of a reply is compared.
func exchange(ask Ask, bounds part) (samples []int64, corrupted int, err error) {
	random := rand.New(rand.NewSource(time.Now().UnixNano()))
	end := time.Now().Add(time.Hour)
	if bounds.DurationMs != nil {
		end = time.Now().Add(time.Duration(*bounds.DurationMs * float64(time.Millisecond)))
	}
	request := make([]byte, bounds.PayloadBytes)
	for (bounds.Samples == nil || len(samples) < *bounds.Samples) && time.Now().Before(end) {
		random.Read(request)
		before := time.Now()
		reply, err := ask(request)
		samples = append(samples, time.Since(before).Nanoseconds())
		if err != nil {
			return nil, 0, err
		}
		if !bytes.Equal(reply, request) {
			corrupted++
		}
	}
	return samples, corrupted, nil
}
