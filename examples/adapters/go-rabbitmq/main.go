// RabbitMQ from Go, with amqp091-go: the client publishes a request to a durable queue, the server publishes the reply to
// an exclusive queue of the client. Nothing is acknowledged. docs/adapter-contract.md describes the JSON lines.
//
//	go build -o rpc . && perf-battle --broker-kind rabbitmq --external "Go (amqp091-go)=./rpc server,./rpc client"
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

type event map[string]any

type part struct { // of a measurement; a bound that is null is 0 here
	PayloadBytes, Samples int
	DurationMs            float64
}

type options struct {
	part
	Workload, Queue string
	DeliveryMode    uint8
	TimeoutMs       float64
	WarmUp          []part
	Broker          struct {
		Hostname, Username, Password, Vhost, Protocol string
		Port                                          int
	}
}

func write(one event) {
	json.NewEncoder(os.Stdout).Encode(one)
}

func check(err error) {
	if err != nil {
		write(event{"event": "error", "message": err.Error()})
		os.Exit(1)
	}
}

func must[Value any](value Value, err error) Value {
	check(err)
	return value
}

var channel *amqp.Channel
var replies <-chan amqp.Delivery
var replyQueue string
var served atomic.Int64

func publish(queue string, message amqp.Publishing) {
	check(channel.PublishWithContext(context.Background(), "", queue, false, false, message))
}

// The queue of the requests ends by itself a minute after its last use.
func connect(o options, isServer bool) {
	b := o.Broker
	if o.Workload != "rtt" || b.Protocol != "amqp" {
		check(fmt.Errorf("this program measures only rtt, over amqp"))
	}
	address := net.JoinHostPort(b.Hostname, strconv.Itoa(b.Port))
	connection := must(amqp.DialConfig("amqp://"+address, amqp.Config{Vhost: b.Vhost, Heartbeat: 10 * time.Second,
		SASL: []amqp.Authentication{&amqp.PlainAuth{Username: b.Username, Password: b.Password}}}))
	channel = must(connection.Channel())
	expires := amqp.Table{"x-expires": 60000}
	must(channel.QueueDeclare(o.Queue, true, false, false, false, expires))
	if isServer {
		go serve(must(channel.Consume(o.Queue, "", true, false, false, false, nil)))
		return
	}
	replyQueue = must(channel.QueueDeclare("", false, true, true, false, nil)).Name
	replies = must(channel.Consume(replyQueue, "", true, true, false, false, nil))
}

func serve(requests <-chan amqp.Delivery) {
	for request := range requests {
		served.Add(1)
		publish(request.ReplyTo, amqp.Publishing{CorrelationId: request.CorrelationId,
			DeliveryMode: request.DeliveryMode, Body: request.Body})
	}
	check(fmt.Errorf("the broker closed the connection"))
}

// One request after the other. Only publishing and waiting for the reply are timed.
func exchange(o options, p part) (samples []time.Duration, corrupted int) {
	request := make([]byte, 0, p.PayloadBytes)
	for value := uint32(1); len(request) < p.PayloadBytes; value = value*1664525 + 1013904223 {
		request = append(request, byte(value>>24))
	}
	for begun := time.Now(); (p.Samples == 0 || len(samples) < p.Samples) &&
		(p.DurationMs == 0 || time.Since(begun).Seconds()*1000 < p.DurationMs); {
		id := strconv.Itoa(len(samples))
		copy(request, fmt.Sprintf("%08x", len(samples)))
		late := time.NewTimer(time.Duration(o.TimeoutMs * 1e6))
		before := time.Now()
		publish(o.Queue, amqp.Publishing{CorrelationId: id, ReplyTo: replyQueue, DeliveryMode: o.DeliveryMode,
			Body: request})
		select {
		case reply := <-replies:
			samples = append(samples, time.Since(before))
			if reply.CorrelationId != id || !bytes.Equal(reply.Body, request) {
				corrupted++
			}
		case <-late.C:
			check(fmt.Errorf("no reply within %v ms", o.TimeoutMs))
		}
		late.Stop()
	}
	return samples, corrupted
}

func main() {
	var o options
	discarded := 0
	// The program ends with its input, or after 5 s without a line: then the battle is gone.
	silence := time.AfterFunc(5*time.Second, func() { os.Exit(0) })
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); silence.Reset(5 * time.Second) {
		var next struct {
			Type    string
			Options options
		}
		check(json.Unmarshal(lines.Bytes(), &next))
		switch next.Type {
		case "configure":
			if o = next.Options; channel == nil {
				connect(o, os.Args[1] == "server")
			}
			write(event{"event": "ready", "address": nil, "details": event{"go": runtime.Version()}})
		case "mark":
			write(event{"event": "progress", "phase": "mark", "served": served.Swap(0)})
		case "start":
			go func() {
				discarded = 0
				for _, phase := range o.WarmUp {
					samples, _ := exchange(o, phase)
					discarded += len(samples)
				}
				write(event{"event": "progress", "phase": "warm"})
			}()
		case "go":
			go func() {
				samples, corrupted := exchange(o, o.part)
				write(event{"event": "progress", "phase": "measured"})
				write(event{"event": "result", "samplesNs": samples, "received": len(samples),
					"verified": len(samples), "corrupted": corrupted, "discarded": discarded})
			}()
		case "stop":
			return
		}
	}
}
