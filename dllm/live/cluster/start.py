"""Starts the replicas: on this machine, for trying it out, or in a Ray cluster that is already running."""

from __future__ import annotations

import os
import re
from typing import Any

import ray
from ray import serve

from unmask.config import config, inherited_environment
from unmask.errors import InvalidRequest
from unmask.live.cluster.replica import Replica
from unmask.live.cluster.replicas import ReplicaPool

NAME = "unmask"
ONGOING = 64  # most requests in progress on one replica; they share forwards there
BUSY = 4.0  # requests in progress for each replica above which Ray starts another


def start_replicas(where: str) -> ReplicaPool:
    """The replicas on this machine (`local`) or in the cluster at an address, started if they do not run yet."""
    least, most = parse_range(config().replicas)
    if not ray.is_initialized():
        options: dict[str, Any] = {"namespace": NAME, "log_to_driver": False, "logging_level": "error"}
        if where == "local":
            options |= {"include_dashboard": False, "num_cpus": max(2, os.cpu_count() or 1)}
        else:  # replicas on other machines get this one's settings, but not its keys
            options |= {"address": where, "runtime_env": {"env_vars": inherited_environment()}}
        ray.init(**options)
    cards = ray.cluster_resources().get("GPU", 0.0)
    size = {"num_gpus": 1} if cards else {"num_cpus": min(1.0, ray.cluster_resources().get("CPU", 1.0) / (most + 1))}
    scale = {"min_replicas": least, "max_replicas": most, "target_ongoing_requests": BUSY}
    serve.start(proxy_location="Disabled")  # requests come through our own server, not Ray's
    app = serve.deployment(
        Replica, name="replica", ray_actor_options=size, autoscaling_config=scale, max_ongoing_requests=ONGOING
    ).bind()
    return ReplicaPool(serve.run(app, name=NAME, route_prefix=None))


def parse_range(text: str) -> tuple[int, int]:
    """The fewest and the most replicas: `2`, or `1-8` for as many as the queue needs."""
    found = re.fullmatch(r"([1-9]\d{0,3})(?:-([1-9]\d{0,3}))?", text)
    least, most = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if most < least:
        raise InvalidRequest(f"UNMASK_REPLICAS must be a number such as 2, or a range such as 1-8, not '{text}'")
    return least, most
