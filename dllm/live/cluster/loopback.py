"""Keeps the ports of a Ray that runs on this machine alone on its loopback address: they take pickles from anybody.

Ray reads the variable when it is imported, so this module imports no Ray."""

from __future__ import annotations

import os

VARIABLE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # 0: Ray forms no cluster of machines; it works on Linux too
ADDRESS = "127.0.0.1:0"


def bind_to_loopback() -> None:
    """Let a Ray that is started later listen on the loopback address; a value that is set already is kept."""
    os.environ.setdefault(VARIABLE, "0")
    os.environ.setdefault("RAY_AUTH_MODE", "disabled")


def bind_replica_to_loopback() -> None:
    """The same for the port of a replica, whose address Ray Serve has no setting for."""
    from ray._private import ray_constants
    from ray.serve._private import replica

    if ray_constants.ENABLE_RAY_CLUSTER:
        return

    add_port = replica.add_port_to_grpc_server
    replica.add_port_to_grpc_server = lambda server, _: add_port(server, ADDRESS)
