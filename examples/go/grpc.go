package main

import (
	"context"
	"fmt"
	"io"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// Unary calls of the service in src/transports/grpc/battle.proto, and its stream of messages one way. Its message has bytes
// in field 1, as BytesValue has, so that no code is generated here.

type (
	payload  = wrapperspb.BytesValue
	received = wrapperspb.UInt64Value
)

const (
	exchangeMethod = "/perfbattle.Battle/Exchange"
	sendMethod     = "/perfbattle.Battle/Send"
	// That of perf-battle's own pair. Without it, the library would adapt the window to the traffic, from 64 KB on.
	windowBytes = 1 << 20
)

func serveGRPC(o options, handle handler) (string, func(), error) {
	inner, err := listen(o)
	if err != nil {
		return "", nil, err
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessageBytes),
		grpc.InitialWindowSize(windowBytes), grpc.InitialConnWindowSize(windowBytes))
	exchange := func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		message := new(payload)
		if err := decode(message); err != nil {
			return nil, err
		}
		message.Value = handle(message.Value)
		return message, nil
	}
	methods := []grpc.MethodDesc{{MethodName: "Exchange", Handler: exchange}}
	take := func(_ any, stream grpc.ServerStream) error {
		for count := uint64(0); ; count++ {
			message := new(payload)
			if err := stream.RecvMsg(message); err == io.EOF {
				return stream.SendMsg(&received{Value: count})
			} else if err != nil {
				return err
			}
			handle(message.Value)
		}
	}
	streams := []grpc.StreamDesc{{StreamName: "Send", Handler: take, ClientStreams: true}}
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "perfbattle.Battle", HandlerType: (*any)(nil), Methods: methods, Streams: streams}, handle)
	go server.Serve(inner)
	return inner.Addr().String(), server.Stop, nil
}

type grpcCaller struct {
	channel *grpc.ClientConn
	posts   grpc.ClientStream // nil: none is open
	posted  uint64            // through it
}

func connectGRPC(o options) (client, error) {
	channel, err := grpc.NewClient(o.Servers[0],
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) { return dial(ctx, o, address) }),
		grpc.WithInitialWindowSize(windowBytes), grpc.WithInitialConnWindowSize(windowBytes),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessageBytes)))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout())
	defer cancel()
	channel.Connect()
	for state := channel.GetState(); state != connectivity.Ready; state = channel.GetState() {
		if !channel.WaitForStateChange(ctx, state) {
			return nil, ctx.Err()
		}
	}
	return &grpcCaller{channel: channel}, nil
}

func (c *grpcCaller) Close() { c.channel.Close() }

func (c *grpcCaller) Call(request, _ []byte) ([]byte, error) {
	reply := new(payload)
	err := c.channel.Invoke(context.Background(), exchangeMethod, &payload{Value: request}, reply)
	return reply.Value, err
}

// Post copies the message, because the library may keep it.
func (c *grpcCaller) Post(message []byte) (err error) {
	if c.posts == nil {
		if c.posts, err = c.channel.NewStream(context.Background(), &grpc.StreamDesc{ClientStreams: true}, sendMethod); err != nil {
			return err
		}
	}
	c.posted++
	err = c.posts.SendMsg(&payload{Value: append([]byte(nil), message...)})
	if err == io.EOF { // The reason of the server comes by RecvMsg.
		return c.Flush()
	}
	return err
}

func (c *grpcCaller) Flush() error {
	if c.posts == nil {
		return nil
	}
	stream, posted := c.posts, c.posted
	c.posts, c.posted = nil, 0
	if err := stream.CloseSend(); err != nil {
		return err
	}
	handled := new(received)
	if err := stream.RecvMsg(handled); err != nil {
		return err
	}
	if handled.Value != posted {
		return fmt.Errorf("the server handled %d of %d messages", handled.Value, posted)
	}
	return nil
}
