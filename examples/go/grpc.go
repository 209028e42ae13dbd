package main

import (
	"context"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// Unary calls of the service in src/transports/grpc/battle.proto. Its message has bytes in field 1, as BytesValue has, so
// that no code is generated here.

type payload = wrapperspb.BytesValue

const (
	exchangeMethod = "/perfbattle.Battle/Exchange"
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
	server.RegisterService(&grpc.ServiceDesc{ServiceName: "perfbattle.Battle", HandlerType: (*any)(nil), Methods: methods}, handle)
	go server.Serve(inner)
	return inner.Addr().String(), server.Stop, nil
}

type grpcCaller struct{ channel *grpc.ClientConn }

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
	return &grpcCaller{channel}, nil
}

func (c *grpcCaller) Close() { c.channel.Close() }

func (c *grpcCaller) Call(request, _ []byte) ([]byte, error) {
	reply := new(payload)
	err := c.channel.Invoke(context.Background(), exchangeMethod, &payload{Value: request}, reply)
	return reply.Value, err
}
