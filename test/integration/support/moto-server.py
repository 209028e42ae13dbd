"""A local CloudFormation and EC2: moto, with what it lacks of a stack's life put in.

moto-server.py PORT
"""

import sys
from threading import Lock

import moto.server
from moto.ec2.models import EC2Backend, ec2_backends
from moto.ec2.models.internet_gateways import InternetGateway
from moto.ec2.models.route_tables import RouteTable
from moto.ec2.models.subnets import Subnet

serve = moto.server.run_simple
make_subnet = Subnet.create_from_cloudformation_json.__func__
start_instances = EC2Backend.run_instances


def serve_in_turn(host, port, app, **others):
    """While a stack is being made, a look at its outputs makes the resources they name once more; these would stay."""
    turn = Lock()

    def answer(environment, start_response):
        with turn:
            return app(environment, start_response)

    serve(host, port, answer, **others)


def create_subnet(cls, name, resource, account, region, **others):
    """Of a stack's subnet moto passes MapPublicIpOnLaunch over."""
    subnet = make_subnet(cls, name, resource, account, region, **others)
    subnet.map_public_ip_on_launch = resource["Properties"].get("MapPublicIpOnLaunch") in (True, "true")
    return subnet


def run_instances(backend, *parameters, **others):
    """And a stack's instances do not ask their subnet whether they have public addresses."""
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
RouteTable.delete = delete_route_table
InternetGateway.delete = delete_gateway
moto.server.main(["-H", "127.0.0.1", "-p", sys.argv[1]])
