package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
)

// Messages one way. The first eight bytes of a message have the number of its client and its own number; the seed makes
// the others.

// The request that closes a stream has this size, and the number of no client.
const (
	closingBytes  = 16
	closingClient = 0xffff
)

func closingCall() []byte {
	request := make([]byte, closingBytes)
	binary.BigEndian.PutUint16(request, closingClient)
	return request
}

func isClosingCall(request []byte) bool {
	return len(request) == closingBytes && binary.BigEndian.Uint16(request) == closingClient
}

// contentOf is SplitMix64 (Steele, Lea and Flood 2014).
func contentOf(seed uint64, size int) []byte {
	content := make([]byte, 0, size+numberBytes)
	for len(content) < size {
		seed += 0x9e3779b97f4a7c15
		word := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		word = (word ^ word>>27) * 0x94d049bb133111eb
		content = binary.BigEndian.AppendUint64(content, word^word>>31)
	}
	return content[:size]
}

// arrivals of all connections since the last mark.
type arrivals struct {
	sync.Mutex
	content                       []byte
	verify                        int
	messages, verified, corrupted int
	mismatch                      string
	firstNs, lastNs               int64
}

func arrivalsOf(o options) *arrivals {
	return &arrivals{content: contentOf(uint64(o.Seed), o.PayloadBytes), verify: o.Verify}
}

// add compares one message in `verify`, and the length of each.
func (a *arrivals) add(message []byte) {
	a.Lock()
	defer a.Unlock()
	a.lastNs = now()
	if a.messages == 0 {
		a.firstNs = a.lastNs
	}
	isRight := len(message) == len(a.content)
	if a.messages%a.verify == 0 {
		a.verified++
		isRight = isRight && (len(message) <= numberBytes || bytes.Equal(message[numberBytes:], a.content[numberBytes:]))
	}
	a.messages++
	if !isRight {
		a.corrupted++
		a.mismatch = fmt.Sprintf("a message of %d bytes does not have the %d bytes of its seed", len(message), len(a.content))
	}
}

func (a *arrivals) count() int {
	a.Lock()
	defer a.Unlock()
	return a.messages
}

func (a *arrivals) mark() event {
	a.Lock()
	defer a.Unlock()
	marked := event{"event": "progress", "phase": "mark", "served": a.messages}
	if a.messages > 0 {
		atNs := now()
		found := event{"messages": a.messages, "verified": a.verified, "corrupted": a.corrupted,
			"sinceFirstMs": float64(atNs-a.firstNs) / 1e6, "sinceLastMs": float64(atNs-a.lastNs) / 1e6}
		if a.corrupted > 0 {
			found["mismatch"] = a.mismatch
		}
		marked["arrived"] = found
	}
	a.messages, a.verified, a.corrupted = 0, 0, 0
	return marked
}

func (c *clientRole) measureOneWay() {
	beginNs := now()
	sent := c.post(c.o.part)
	c.flush()
	if c.o.ClosingCall {
		c.bounded(&c.window[0], func() error { return callOnce(c.client, closingCall()) })
	}
	durationMs := float64(now()-beginNs) / 1e6
	write(event{"event": "progress", "phase": "measured", "sent": sent})
	write(event{"event": "result", "sent": sent, "durationMs": durationMs, "discarded": c.discarded})
}

// post sends messages as fast as the transport takes them. Over HTTP, each goroutine waits for its response.
func (c *clientRole) post(p part) int {
	places := c.window[:1]
	if _, waits := c.client.(*httpCaller); waits {
		places = c.window
	}
	var sent atomic.Int64
	bounds := newBounds(p)
	var all sync.WaitGroup
	for index := range places {
		r := &places[index]
		r.bytes = contentOf(uint64(c.o.Seed), p.PayloadBytes)
		all.Add(1)
		go func() {
			defer all.Done()
			for bounds.takes() {
				number(r.bytes, uint64(c.o.Client)<<48|uint64(sent.Add(1)-1))
				c.bounded(r, func() error { return c.client.Post(r.bytes) })
			}
		}()
	}
	all.Wait()
	return int(sent.Load())
}

func (c *clientRole) flush() { c.bounded(&c.window[0], c.client.Flush) }

// bounded ends this program if the action takes longer than the timeout: see watch.
func (c *clientRole) bounded(r *request, act func() error) {
	r.since.Store(now())
	if err := act(); err != nil {
		fail(err)
	}
	r.since.Store(0)
}

func callOnce(over client, request []byte) (err error) {
	switch over := over.(type) {
	case caller:
		_, err = over.Call(request, nil)
	case duplex:
		if err = over.Send(request); err == nil {
			_, err = over.Receive()
		}
	}
	return err
}
