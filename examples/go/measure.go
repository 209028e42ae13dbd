package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"sync"
	"sync/atomic"
	"time"
)

// What the client measures: only sending a request and receiving its reply is timed.

var origin = time.Now()

// now is monotonic, in ns.
func now() int64 { return int64(time.Since(origin)) }

// request is a place of the window. Its bytes are random; a number that no other request has is in the first eight.
type request struct {
	bytes []byte
	since atomic.Int64 // when it was sent; 0 while it is not in flight
	// The memory of replies.
	memory []byte
}

type clientRole struct {
	transport transport
	client    client
	o         options
	window    []request
	discarded int
	number    atomic.Uint64
	busy      sync.Mutex // while it measures
}

type outcome struct {
	sync.Mutex
	samplesNs           []int64
	verified, corrupted int
	mismatch            string
	beginNs, endNs      int64
}

func (c *clientRole) configure(o options) (ready event, err error) {
	c.busy.Lock()
	defer c.busy.Unlock()
	c.o = o
	if c.client == nil {
		if c.client, err = c.transport.connect(o); err != nil {
			return nil, err
		}
		c.window = make([]request, o.Window)
		go watch(c.window, o.timeout())
	}
	if len(c.window) != o.Window {
		return nil, fmt.Errorf("this program keeps its window of %d requests, and does not take one of %d", len(c.window), o.Window)
	}
	return event{}, nil
}

// handle does not wait for a measurement, so that lines are read meanwhile.
func (c *clientRole) handle(kind string) bool {
	switch kind {
	case "start":
		go c.warmUp()
	case "go":
		go c.measure()
	default:
		return false
	}
	return true
}

func (c *clientRole) close() {
	if c.client != nil {
		c.client.Close()
	}
}

func (c *clientRole) warmUp() {
	c.busy.Lock()
	defer c.busy.Unlock()
	c.discarded = 0
	if c.o.isOneWay() {
		for _, one := range c.o.WarmUp {
			c.discarded += c.post(one)
		}
		c.flush()
		write(event{"event": "progress", "phase": "warm", "sent": c.discarded})
		return
	}
	for _, one := range c.o.WarmUp {
		c.discarded += len(c.exchange(one).samplesNs)
	}
	write(event{"event": "progress", "phase": "warm"})
}

func (c *clientRole) measure() {
	c.busy.Lock()
	defer c.busy.Unlock()
	if c.o.isOneWay() {
		c.measureOneWay()
		return
	}
	one := c.exchange(c.o.part)
	write(event{"event": "progress", "phase": "measured"})
	result := event{
		"event": "result", "samplesNs": one.samplesNs, "received": len(one.samplesNs), "verified": one.verified,
		"corrupted": one.corrupted, "discarded": c.discarded, "durationMs": float64(one.endNs-one.beginNs) / 1e6,
	}
	if one.corrupted > 0 {
		result["mismatch"] = one.mismatch
	}
	write(result)
}

func (c *clientRole) exchange(p part) *outcome {
	random := rand.New(rand.NewSource(c.o.Seed + int64(c.o.Client)<<40))
	for index := range c.window {
		c.window[index].bytes = make([]byte, p.PayloadBytes)
		random.Read(c.window[index].bytes)
	}
	one := &outcome{samplesNs: make([]int64, 0, 1<<18), beginNs: now()}
	bounds := newBounds(p)
	var err error
	switch over := c.client.(type) {
	case caller:
		err = c.callAll(over, one, bounds)
	case duplex:
		if len(c.window) == 1 {
			err = c.alternate(over, one, bounds)
		} else {
			err = c.overlap(over, one, bounds)
		}
	}
	if err != nil {
		fail(err)
	}
	one.endNs = now()
	return one
}

// bounds of a part, whichever is reached first.
type bounds struct {
	left    atomic.Int64
	untilNs int64
}

func newBounds(p part) *bounds {
	b := &bounds{untilNs: 1 << 62}
	b.left.Store(1 << 62)
	if p.Samples != nil {
		b.left.Store(int64(*p.Samples))
	}
	if p.DurationMs != nil {
		b.untilNs = now() + int64(*p.DurationMs*1e6)
	}
	return b
}

func (b *bounds) takes() bool { return now() < b.untilNs && b.left.Add(-1) >= 0 }

// callAll has as many goroutines as there are requests in flight.
func (c *clientRole) callAll(over caller, one *outcome, b *bounds) error {
	failures := make(chan error, len(c.window))
	call := func(r *request) {
		for b.takes() {
			c.prepare(r)
			beganNs := now()
			r.since.Store(beganNs)
			reply, err := over.Call(r.bytes, r.memory)
			endedNs := now()
			r.since.Store(0)
			if err != nil {
				failures <- err
				return
			}
			r.memory = reply
			one.Lock()
			number := len(one.samplesNs)
			one.samplesNs = append(one.samplesNs, endedNs-beganNs)
			one.Unlock()
			c.check(one, number, r.bytes, reply)
		}
		failures <- nil
	}
	for index := 1; index < len(c.window); index++ {
		go call(&c.window[index])
	}
	call(&c.window[0])
	for range c.window {
		if err := <-failures; err != nil {
			return err
		}
	}
	return nil
}

// alternate has one request in flight, and needs no other goroutine.
func (c *clientRole) alternate(over duplex, one *outcome, b *bounds) error {
	r := &c.window[0]
	for b.takes() {
		c.prepare(r)
		beganNs := now()
		r.since.Store(beganNs)
		if err := over.Send(r.bytes); err != nil {
			return err
		}
		reply, err := over.Receive()
		if err != nil {
			return err
		}
		one.samplesNs = append(one.samplesNs, now()-beganNs)
		r.since.Store(0)
		c.check(one, len(one.samplesNs)-1, r.bytes, reply)
	}
	return nil
}

// overlap sends in a goroutine of its own, because a server may not read while its replies are not read. A request begins
// when its place is free, and replies come in the order of the places.
func (c *clientRole) overlap(over duplex, one *outcome, b *bounds) error {
	sending := make(chan *request, len(c.window))
	defer close(sending)
	go func() {
		for r := range sending {
			if err := over.Send(r.bytes); err != nil {
				fail(err)
			}
		}
	}()
	begins := func(r *request) bool {
		if !b.takes() {
			return false
		}
		c.prepare(r)
		r.since.Store(now())
		sending <- r
		return true
	}
	inFlight := 0
	for inFlight < len(c.window) && begins(&c.window[inFlight]) {
		inFlight++
	}
	for next := 0; inFlight > 0; next = (next + 1) % len(c.window) {
		r := &c.window[next]
		reply, err := over.Receive()
		if err != nil {
			return err
		}
		one.samplesNs = append(one.samplesNs, now()-r.since.Load())
		r.since.Store(0)
		c.check(one, len(one.samplesNs)-1, r.bytes, reply)
		if !begins(r) {
			inFlight--
		}
	}
	return nil
}

const numberBytes = 8

func (c *clientRole) prepare(r *request) { number(r.bytes, c.number.Add(1)) }

func number(payload []byte, value uint64) {
	var number [numberBytes]byte
	binary.BigEndian.PutUint64(number[:], value)
	if size := len(payload); size < numberBytes {
		copy(payload, number[numberBytes-size:])
	} else {
		copy(payload, number[:])
	}
}

// check compares each byte of a reply to rtt, and of one in `verify` otherwise; of the others, the length and the number.
func (c *clientRole) check(one *outcome, index int, request, reply []byte) {
	isWhole := c.o.Workload == "rtt" || index%c.o.Verify == 0
	isRight := len(reply) == len(request)
	if isRight {
		expected, received := request, reply
		if !isWhole && len(request) > numberBytes {
			expected, received = request[:numberBytes], reply[:numberBytes]
		}
		if c.o.Reply == "increment" {
			isRight = isIncremented(expected, received)
		} else {
			isRight = bytes.Equal(expected, received)
		}
	}
	if !isWhole && isRight {
		return
	}
	one.Lock()
	defer one.Unlock()
	if isWhole {
		one.verified++
	}
	if !isRight {
		one.corrupted++
		if one.mismatch == "" {
			one.mismatch = fmt.Sprintf("a reply of %d bytes is not that to its request of %d", len(reply), len(request))
		}
	}
}

func isIncremented(request, reply []byte) bool {
	for index, value := range request {
		if reply[index] != value+1 {
			return false
		}
	}
	return true
}

// watch ends this program when a reply has not come in time: there is one for all requests, not a timer for each.
func watch(window []request, timeout time.Duration) {
	for range time.Tick(50 * time.Millisecond) {
		for index := range window {
			if since := window[index].since.Load(); since != 0 && now()-since > int64(timeout) {
				fail(fmt.Errorf("no reply came within %v", timeout))
			}
		}
	}
}
