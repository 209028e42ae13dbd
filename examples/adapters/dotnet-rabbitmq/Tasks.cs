// RabbitMQ from .NET, as its tutorial of work queues uses it: one program puts persistent messages into a durable queue
// (NewTask), and takes them out one at a time (Worker): a prefetch of one, and an acknowledgement for each. Round trips
// use the same calls. docs/adapter-contract.md describes the JSON lines. On Debian:
//
//	apt-get install mono-mcs libmono-rabbitmq4.0-cil libmono-system-json4.0-cil
//	mcs -r:RabbitMQ.Client -r:System.Json -out:tasks.exe Tasks.cs
//	perf-battle --workload queue --broker-kind rabbitmq --external "C# (Mono)=mono tasks.exe server,mono tasks.exe client"
using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.Json;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

static class Tasks
{
    static JsonValue options;
    static IModel channel;
    static QueueingBasicConsumer arrivals; // round trips: of requests, or of replies
    static string replies;
    static int served, discarded, corrupted;

    // Environment.Exit takes a second under Mono while the library has threads, and longer on a busy host.
    [DllImport("libc", EntryPoint = "_exit")]
    static extern void End(int code);

    static string Workload { get { return options["workload"]; } }
    static string Queue { get { return options["queue"]; } }

    static void Write(string line)
    {
        lock (Console.Out) { Console.WriteLine(line); Console.Out.Flush(); }
    }

    static void OrFail(Action work)
    {
        try { work(); }
        catch (Exception error)
        {
            Write(new JsonObject { { "event", "error" }, { "message", error.Message } }.ToString());
            End(1);
        }
    }

    static void Configure(bool isServer)
    {
        if (Workload != "rtt" && Workload != "queue") throw new Exception("this program measures only rtt and queue");
        if (channel != null) return;
        var broker = options["broker"];
        if (broker["protocol"] != "amqp") throw new Exception("this program connects only by amqp");
        var factory = new ConnectionFactory
        {
            HostName = broker["hostname"], Port = broker["port"], VirtualHost = broker["vhost"],
            UserName = broker["username"], Password = broker["password"], RequestedHeartbeat = 10
        };
        channel = factory.CreateConnection().CreateModel();
        channel.BasicQos(0, 1, false);
        // The queue ends by itself a minute after its last use.
        channel.QueueDeclare(Queue, false, true, false, false, false, new Hashtable { { "x-expires", 60000 } });
        if (Workload == "queue") return;
        if (!isServer) replies = channel.QueueDeclare();
        arrivals = new QueueingBasicConsumer(channel);
        channel.BasicConsume(isServer ? Queue : replies, false, null, arrivals);
        if (isServer) new Thread(() => OrFail(Serve)) { IsBackground = true }.Start();
    }

    static void Serve()
    {
        while (true)
        {
            var request = (BasicDeliverEventArgs)arrivals.Queue.Dequeue();
            Interlocked.Increment(ref served);
            var properties = Properties(request.BasicProperties.DeliveryMode);
            properties.CorrelationId = request.BasicProperties.CorrelationId;
            channel.BasicPublish("", request.BasicProperties.ReplyTo, properties, request.Body);
            channel.BasicAck(request.DeliveryTag, false);
        }
    }

    static IBasicProperties Properties(byte deliveryMode)
    {
        var properties = channel.CreateBasicProperties();
        properties.DeliveryMode = deliveryMode;
        return properties;
    }

    static byte[] Payload(JsonValue part)
    {
        var payload = new byte[(int)part["payloadBytes"]];
        new Random((int)((long)options["seed"] % int.MaxValue)).NextBytes(payload);
        return payload;
    }

    static void Number(byte[] payload, long number)
    {
        for (var index = 0; index < Math.Min(8, payload.Length); index++) payload[index] = (byte)(number >> 8 * index);
    }

    static BasicDeliverEventArgs Take(QueueingBasicConsumer consumer)
    {
        object message;
        var timeoutMs = (int)options["timeoutMs"];
        if (!consumer.Queue.Dequeue(timeoutMs, out message)) throw new Exception($"no message within {timeoutMs} ms");
        return (BasicDeliverEventArgs)message;
    }

    static void Compare(byte[] expected, byte[] body)
    {
        var equal = expected.Length == body.Length;
        for (var index = 0; equal && index < body.Length; index++) equal = expected[index] == body[index];
        if (!equal) corrupted++;
    }

    static double Bound(JsonValue value) { return value == null ? double.PositiveInfinity : (double)value; }

    // One request after the other, in ns. Only publishing and waiting for the reply are timed.
    static List<double> Exchange(JsonValue part)
    {
        var request = Payload(part);
        var samples = new List<double>();
        var begun = Stopwatch.StartNew();
        while (samples.Count < Bound(part["samples"]) && begun.Elapsed.TotalMilliseconds < Bound(part["durationMs"]))
        {
            Number(request, samples.Count);
            var properties = Properties((byte)(int)options["deliveryMode"]);
            properties.CorrelationId = samples.Count.ToString();
            properties.ReplyTo = replies;
            var watch = Stopwatch.StartNew();
            channel.BasicPublish("", Queue, properties, request);
            var reply = Take(arrivals);
            samples.Add(watch.Elapsed.TotalMilliseconds * 1e6);
            channel.BasicAck(reply.DeliveryTag, false);
            if (reply.BasicProperties.CorrelationId != properties.CorrelationId) corrupted++;
            else Compare(request, reply.Body);
        }
        return samples;
    }

    // All messages in, until the broker has answered after the last one; then all of them out.
    static double[] Pass(byte[] payload, int messages)
    {
        var properties = Properties((byte)(int)options["deliveryMode"]);
        var watch = Stopwatch.StartNew();
        for (var number = 0; number < messages; number++)
        {
            Number(payload, number);
            channel.BasicPublish("", Queue, properties, payload);
        }
        // Its answer comes after the last message.
        channel.QueueDeclare(Queue, true, true, false, false, false, null);
        var between = watch.Elapsed.TotalMilliseconds;
        var last = between;
        var worker = new QueueingBasicConsumer(channel);
        var tag = channel.BasicConsume(Queue, false, null, worker);
        for (var number = 0; number < messages; number++)
        {
            var message = Take(worker);
            last = watch.Elapsed.TotalMilliseconds;
            Number(payload, number);
            Compare(payload, message.Body);
            channel.BasicAck(message.DeliveryTag, false);
        }
        channel.BasicCancel(tag);
        return new[] { between, last - between };
    }

    static int WarmUp(JsonValue part)
    {
        if (Workload == "rtt") return Exchange(part).Count;
        var payload = Payload(part);
        var begun = Stopwatch.StartNew();
        var count = 0;
        for (var most = Math.Max(1, Math.Min(500, (1 << 23) / payload.Length));
            count < Bound(part["samples"]) && begun.Elapsed.TotalMilliseconds < Bound(part["durationMs"]);)
        {
            var messages = (int)Math.Min(most, Bound(part["samples"]) - count);
            Pass(payload, messages);
            count += messages;
        }
        return count;
    }

    static void Measure()
    {
        corrupted = 0;
        var isQueue = Workload == "queue";
        var messages = isQueue ? (int)options["samples"] : 0;
        var phases = isQueue ? Pass(Payload(options), messages) : null;
        var samples = isQueue ? null : Exchange(options);
        Write(@"{""event"":""progress"",""phase"":""measured""}");
        var received = isQueue ? messages : samples.Count;
        var figures = isQueue
            ? $@"""phases"":{{""enqueue"":{Timed(messages, phases[0])},""dequeue"":{Timed(messages, phases[1])}}}"
            : $@"""samplesNs"":[{string.Join(",", samples)}]";
        Write($@"{{""event"":""result"",{figures},""received"":{received},""verified"":{received},""corrupted"":{corrupted},""discarded"":{discarded}}}");
    }

    static string Timed(int messages, double ms) { return $@"{{""messages"":{messages},""ms"":{ms}}}"; }

    static void Main(string[] arguments)
    {
        Thread.CurrentThread.CurrentCulture = System.Globalization.CultureInfo.InvariantCulture;
        // The program ends with its input, or after 5 s without a line: then the battle is gone.
        var silence = new Timer(_ => End(0), null, 5000, -1);
        string line;
        while ((line = Console.In.ReadLine()) != null)
        {
            silence.Change(5000, -1);
            var message = JsonValue.Parse(line);
            switch ((string)message["type"])
            {
                case "configure":
                    options = message["options"];
                    OrFail(() => Configure(arguments[0] == "server"));
                    Write($@"{{""event"":""ready"",""address"":null,""details"":{{""mono"":""{MonoVersion()}""}}}}");
                    break;
                case "mark":
                    Write($@"{{""event"":""progress"",""phase"":""mark"",""served"":{Interlocked.Exchange(ref served, 0)}}}");
                    break;
                case "start":
                    Start(() =>
                    {
                        discarded = 0;
                        foreach (JsonValue part in (JsonArray)options["warmUp"]) discarded += WarmUp(part);
                        Write(@"{""event"":""progress"",""phase"":""warm""}");
                    });
                    break;
                case "go":
                    Start(Measure);
                    break;
                case "stop":
                    End(0);
                    break;
            }
        }
        End(0);
    }

    static object MonoVersion()
    {
        var method = Type.GetType("Mono.Runtime").GetMethod("GetDisplayName", BindingFlags.NonPublic | BindingFlags.Static);
        return method.Invoke(null, null);
    }

    // The main thread goes on reading.
    static void Start(Action work)
    {
        new Thread(() =>
        {
            Thread.CurrentThread.CurrentCulture = System.Globalization.CultureInfo.InvariantCulture;
            OrFail(work);
        }) { IsBackground = true }.Start();
    }
}
