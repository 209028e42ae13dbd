package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// RPC through RabbitMQ with the exchanges and queues of perf-battle's own pair: a direct exchange and a durable queue for
// requests, and the same for the replies of each client. Consumers acknowledge automatically, and nothing is confirmed.

const (
	requestKey     = "request"
	queueExpiresMs = 60_000
)

type names struct{ requests, replies string } // of an exchange each; the queue of the requests has the name of theirs

func namesOf(o options) names { return names{o.Prefix + "-requests", o.Prefix + "-replies"} }

func openChannel(o options) (*amqp.Connection, *amqp.Channel, error) {
	b := o.Broker
	if b == nil || b.Protocol != "amqp" {
		return nil, nil, errors.New("this program needs RabbitMQ over amqp: --broker-kind rabbitmq")
	}
	address := net.JoinHostPort(b.Hostname, strconv.Itoa(b.Port))
	connection, err := amqp.DialConfig("amqp://"+address, amqp.Config{
		Vhost: b.Vhost, Heartbeat: 10 * time.Second,
		SASL: []amqp.Authentication{&amqp.PlainAuth{Username: b.Username, Password: b.Password}},
		Dial: func(_, address string) (net.Conn, error) { return dial(context.Background(), o, address) },
	})
	if err != nil {
		return nil, nil, err
	}
	channel, err := connection.Channel()
	return connection, channel, err
}

func declareQueue(channel *amqp.Channel, name string, isAutoDelete bool) error {
	arguments := amqp.Table{"x-expires": queueExpiresMs, "x-queue-type": "classic"}
	_, err := channel.QueueDeclare(name, true, isAutoDelete, false, false, arguments)
	return err
}

func serveRabbitMQ(o options, handle handler) (string, func(), error) {
	connection, channel, err := openChannel(o)
	if err != nil {
		return "", nil, err
	}
	on := namesOf(o)
	for _, exchange := range []string{on.requests, on.replies} {
		if err := channel.ExchangeDeclare(exchange, "direct", true, true, false, false, nil); err != nil {
			return "", nil, err
		}
	}
	if err := declareQueue(channel, on.requests, false); err != nil {
		return "", nil, err
	}
	// An exchange ends with its last binding: the second one keeps that of the replies.
	for exchange, key := range map[string]string{on.requests: requestKey, on.replies: on.requests} {
		if err := channel.QueueBind(on.requests, key, exchange, false, nil); err != nil {
			return "", nil, err
		}
	}
	requests, err := channel.Consume(on.requests, "", true, false, false, false, nil)
	if err != nil {
		return "", nil, err
	}
	isClosing := make(chan struct{})
	go func() {
		for request := range requests {
			body := handle(request.Body)
			if body == nil {
				continue
			}
			reply := amqp.Publishing{CorrelationId: request.CorrelationId, DeliveryMode: request.DeliveryMode, Body: body}
			if err := channel.PublishWithContext(context.Background(), on.replies, request.ReplyTo, false, false, reply); err != nil {
				break
			}
		}
		select {
		case <-isClosing:
		default:
			fail(errors.New("the connection to the broker was lost"))
		}
	}()
	return "", func() {
		close(isClosing)
		channel.QueueDelete(on.requests, false, false, false)
		connection.Close()
	}, nil
}

// rpc matches replies by their correlation id. They come in the order of the requests.
type rpc struct {
	connection     *amqp.Connection
	channel        *amqp.Channel
	names          names
	mode           uint8
	replyTo        string
	replies        <-chan amqp.Delivery
	returned       <-chan amqp.Return
	sent, received uint64
}

func connectRabbitMQ(o options) (client, error) {
	connection, channel, err := openChannel(o)
	if err != nil {
		return nil, err
	}
	c := &rpc{connection: connection, channel: channel, names: namesOf(o), mode: o.DeliveryMode}
	c.replyTo = fmt.Sprintf("%s-%d-%d", c.names.replies, o.Client, os.Getpid())
	if err := declareQueue(channel, c.replyTo, true); err != nil {
		return nil, err
	}
	if err := channel.QueueBind(c.replyTo, c.replyTo, c.names.replies, false, nil); err != nil {
		return nil, err
	}
	c.returned = channel.NotifyReturn(make(chan amqp.Return, 1))
	c.replies, err = channel.Consume(c.replyTo, "", true, false, false, false, nil)
	return c, err
}

func (c *rpc) Close() { c.connection.Close() }

func (c *rpc) Send(request []byte) error {
	c.sent++
	return c.channel.PublishWithContext(context.Background(), c.names.requests, requestKey, true, false, amqp.Publishing{
		CorrelationId: strconv.FormatUint(c.sent, 10), ReplyTo: c.replyTo, DeliveryMode: c.mode, Body: request})
}

func (c *rpc) Post(message []byte) error {
	select {
	case <-c.returned:
		return errReturned
	default:
		return c.channel.PublishWithContext(context.Background(), c.names.requests, requestKey, true, false,
			amqp.Publishing{DeliveryMode: c.mode, Body: message})
	}
}

func (c *rpc) Flush() error { return nil }

var errReturned = errors.New("the broker returned a message: no server of this program has a queue")

func (c *rpc) Receive() ([]byte, error) {
	c.received++
	select {
	case reply, isOpen := <-c.replies:
		if !isOpen {
			return nil, errors.New("the connection to the broker was lost")
		}
		if expected := strconv.FormatUint(c.received, 10); reply.CorrelationId != expected {
			return nil, fmt.Errorf("the reply to request %s came in place of that to request %s", reply.CorrelationId, expected)
		}
		return reply.Body, nil
	case <-c.returned:
		return nil, errReturned
	}
}
