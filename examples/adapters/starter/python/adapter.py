"""An adapter for perf-battle: an echo over TCP, whose payloads follow their length. Replace Echo and ask by what you want to measure."""
import socket, socketserver, threading

import perf_battle


class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        while head := self.rfile.read(4):
            payload = self.rfile.read(int.from_bytes(head, "big"))
            perf_battle.served()
            self.wfile.write(head + payload)


def serve(host, port):
    server = socketserver.ThreadingTCPServer((host, port), Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address


def connect(host, port, timeout_s):
    connection = socket.create_connection((host, port), timeout_s)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
    replies = connection.makefile("rb")

    def ask(request):
        connection.sendall(len(request).to_bytes(4, "big") + request)
        return replies.read(int.from_bytes(replies.read(4), "big"))

    return ask


perf_battle.run(serve, connect)
