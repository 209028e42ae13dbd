"""A local CloudFormation and EC2: moto, with what it lacks of a stack's life put in.

moto-server.py PORT BOOT-URL
"""

import json
import sys
from base64 import b64decode
from io import BytesIO
from threading import Event, Lock
from urllib.parse import parse_qs
from urllib.request import urlopen

import moto.server
from moto.cloudformation.models import Stack
from moto.ec2.models import EC2Backend, ec2_backends
from moto.ec2.models.internet_gateways import InternetGateway
from moto.ec2.models.launch_templates import LaunchTemplate
from moto.ec2.models.route_tables import RouteTable
from moto.ec2.models.subnets import Subnet

serve = moto.server.run_simple
make_subnet = Subnet.create_from_cloudformation_json.__func__
start_instances = EC2Backend.run_instances
make_version = LaunchTemplate.create_version
make_resources = Stack.create_resources


# What tests set of an action: {"DeleteStack": {"delay": 3}}, {"error": "ExpiredToken"}, or {"RunInstances": {"lacking": ["us-east-1a"]}}; and the actions that came in, in their order.
special = {}
received = []
changed = Event()


def serve_in_turn(host, port, app, **others):
    """While a stack is being made, a look at its outputs makes the resources they name once more; these would stay."""
    turn = Lock()

    def answer(environment, start_response):
        body = environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
        if environment["PATH_INFO"] == "/perf-battle":
            return answer_test(body, start_response)
        environment["wsgi.input"] = BytesIO(body)
        action = parse_qs(body.decode(errors="replace")).get("Action", [""])[0]
        received.append(action)
        how = special.get(action, {})
        # A delayed action of one test must not take effect in the next.
        if "delay" in how and changed.wait(how["delay"]):
            return refuse("ServiceUnavailable", start_response)
        if "error" in how:
            return refuse(how["error"], start_response)
        with turn:
            return app(environment, start_response)

    serve(host, port, answer, **others)


def answer_test(body, start_response):
    """A body replaces what is special. The answer is what came in since the last one."""
    global changed
    if body:
        changed.set()
        changed = Event()
        special.clear()
        special.update(json.loads(body))
    start_response("200 OK", [("Content-Type", "application/json")])
    actions = json.dumps(received).encode()
    received.clear()
    return [actions]


def refuse(code, start_response):
    start_response("403 Forbidden", [("Content-Type", "text/xml")])
    error = f"<Error><Type>Sender</Type><Code>{code}</Code><Message>Refused by the test.</Message></Error>"
    return [f"<ErrorResponse>{error}<RequestId>0</RequestId></ErrorResponse>".encode()]


def create_version(template, data, description):
    """No host boots here. Others do with the user data what hosts do that boot."""
    urlopen(sys.argv[2], b64decode(data["UserData"].as_bytes())).close()
    return make_version(template, data, description)


def create_subnet(cls, name, resource, account, region, **others):
    """Of a stack's subnet moto passes MapPublicIpOnLaunch over."""
    subnet = make_subnet(cls, name, resource, account, region, **others)
    subnet.map_public_ip_on_launch = resource["Properties"].get("MapPublicIpOnLaunch") in (True, "true")
    return subnet


class ZoneLacksType(Exception):
    pass


def create_resources(stack):
    """A stack whose resource fails stays as it is, without a status that says so."""
    try:
        make_resources(stack)
    except ZoneLacksType as error:
        stack._add_stack_event("CREATE_FAILED", str(error))
        stack.status = "ROLLBACK_COMPLETE"
        # A look at them would make the resources that failed.
        stack.output_map._output_json_map = {}


def run_instances(backend, *parameters, **others):
    """And a stack's instances do not ask their subnet whether they have public addresses."""
    zone = backend.get_subnet(others["subnet_id"]).availability_zone
    lacking = special.get("RunInstances", {}).get("lacking", [])
    if zone in lacking:
        choice = ", ".join(z.name for z in backend.describe_availability_zones() if z.name not in lacking)
        raise ZoneLacksType(
            f"Your requested instance type (t2.micro) is not supported in your requested Availability Zone ({zone}). "
            f"Please retry your request by not specifying an Availability Zone or choosing {choice}."
        )
    others.setdefault("associate_public_ip", None)
    return start_instances(backend, *parameters, **others)


def delete_route_table(table, account, region):
    """A stack's route tables stay, and so does the VPC, which fails the deletion."""
    backend = ec2_backends[account][region]
    for association in list(table.associations):
        backend.disassociate_route_table(association)
    backend.delete_route_table(table.id)


def delete_gateway(gateway, account, region):
    """A gateway that is attached is not deleted, and nothing detaches it."""
    backend = ec2_backends[account][region]
    if gateway.vpc is not None:
        backend.detach_internet_gateway(gateway.id, gateway.vpc.id)
    backend.delete_internet_gateway(gateway.id)


moto.server.run_simple = serve_in_turn
Subnet.create_from_cloudformation_json = classmethod(create_subnet)
EC2Backend.run_instances = run_instances
LaunchTemplate.create_version = create_version
Stack.create_resources = create_resources
RouteTable.delete = delete_route_table
InternetGateway.delete = delete_gateway
moto.server.main(["-H", "127.0.0.1", "-p", sys.argv[1]])
