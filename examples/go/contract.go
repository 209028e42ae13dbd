package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// The lines between the battle and this program.

// part of a measurement; a bound that is nil is none.
type part struct {
	PayloadBytes int
	Samples      *int
	DurationMs   *float64
}

type broker struct {
	Hostname, Username, Password, Vhost, Protocol string
	Port                                          int
}

type options struct {
	part
	Workload, Reply, Prefix string
	Seed                    int64
	Client, Window, Verify  int
	TimeoutMs               float64
	NoDelay                 bool
	DeliveryMode            uint8
	ClosingCall             bool
	ListenAddress           *string
	ServerPort              int
	Servers                 []string
	WarmUp                  []part
	Broker                  *broker
}

type event map[string]any

var output struct {
	sync.Mutex
	*json.Encoder
}

func write(one event) {
	output.Lock()
	defer output.Unlock()
	output.Encode(one)
}

func fail(err error) {
	write(event{"event": "error", "message": err.Error()})
	os.Exit(1)
}

// silence is how long the battle may write nothing. It writes a line each second.
const silence = 5 * time.Second

// lines ends this program with its input, and when the battle is silent.
func lines() <-chan map[string]json.RawMessage {
	messages := make(chan map[string]json.RawMessage, 1024)
	alarm := time.AfterFunc(silence, func() { os.Exit(0) })
	go func() {
		input := bufio.NewReaderSize(os.Stdin, 1<<16)
		for {
			line, err := input.ReadBytes('\n')
			if err != nil {
				os.Exit(0)
			}
			alarm.Reset(silence)
			var one map[string]json.RawMessage
			if json.Unmarshal(line, &one) == nil {
				messages <- one
			}
		}
	}()
	return messages
}

func run(one transport, isServer bool) {
	output.Encoder = json.NewEncoder(os.Stdout)
	if os.Getenv("PB_STDIN") != "control" {
		fmt.Fprintln(os.Stderr, "perf-battle starts this program. It reads JSON lines from its standard input.")
	}
	var role interface {
		configure(options) (event, error)
		handle(kind string) bool
		close()
	}
	if isServer {
		role = &serverRole{transport: one}
	} else {
		role = &clientRole{transport: one}
	}
	for message := range lines() {
		var kind string
		json.Unmarshal(message["type"], &kind)
		switch kind {
		case "configure":
			var o options
			err := json.Unmarshal(message["options"], &o)
			if err == nil {
				err = o.refusal()
			}
			var ready event
			if err == nil {
				ready, err = role.configure(o)
			}
			if err != nil {
				fail(err)
			}
			ready["event"], ready["details"] = "ready", versions(one.library)
			if o.Reply == "increment" {
				ready["reply"] = o.Reply
			}
			write(ready)
		case "stop":
			role.close()
			os.Exit(0)
		default:
			role.handle(kind)
		}
	}
}

func (o options) isOneWay() bool { return o.Workload == "stream" }

// refusal of what this program does not measure.
func (o options) refusal() error {
	if o.Workload != "rtt" && o.Workload != "pipeline" && !o.isOneWay() {
		return fmt.Errorf("this program measures rtt, pipeline and stream, not %s", o.Workload)
	}
	if o.Reply != "" && o.Reply != "echo" && o.Reply != "increment" {
		return fmt.Errorf("this program replies with an echo, or with each byte plus one, not with %s", o.Reply)
	}
	return nil
}

func versions(library string) event {
	details := event{"go": runtime.Version()}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == library {
				details[library] = module.Version
			}
		}
	}
	return details
}

type serverRole struct {
	transport transport
	stop      func()
	address   string
	served    atomic.Int64
	increment atomic.Bool
	arrivals  atomic.Pointer[arrivals] // nil: all requests have replies
}

// answer is called by each connection.
func (s *serverRole) answer(request []byte) []byte {
	if counted := s.arrivals.Load(); counted != nil && !isClosingCall(request) {
		counted.add(request)
		return nil
	}
	s.served.Add(1)
	if s.increment.Load() {
		for index := range request {
			request[index]++
		}
	}
	return request
}

func (s *serverRole) configure(o options) (event, error) {
	s.increment.Store(o.Reply == "increment")
	s.arrivals.Store(nil)
	if o.isOneWay() {
		s.arrivals.Store(arrivalsOf(o))
	}
	if s.stop == nil {
		var err error
		if s.address, s.stop, err = s.transport.serve(o, s.answer); err != nil {
			return nil, err
		}
	}
	if s.address == "" {
		return event{"address": nil}, nil
	}
	return event{"address": s.address}, nil
}

func (s *serverRole) handle(kind string) bool {
	counted := s.arrivals.Load()
	switch {
	case kind == "mark" && counted != nil:
		s.served.Store(0)
		write(counted.mark())
	case kind == "mark":
		write(event{"event": "progress", "phase": "mark", "served": s.served.Swap(0)})
	case kind == "count" && counted != nil:
		write(event{"event": "progress", "phase": "count", "received": counted.count()})
	default:
		return false
	}
	return true
}

func (s *serverRole) close() {
	if s.stop != nil {
		s.stop()
	}
}
