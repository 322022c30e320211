"""Starts the lanes: on this machine for trying, or in a Ray cluster that runs already."""

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
ONGOING = 64  # thoughts that one lane may have before it; they share forwards there
BUSY = 4.0  # thoughts on the way for each lane, above which one more is started


def start_replicas(where: str) -> ReplicaPool:
    """The lanes on this machine (`local`) or of the cluster at an address, started if they do not run yet."""
    least, most = parse_range(config().replicas)
    if not ray.is_initialized():
        about: dict[str, Any] = {"namespace": NAME, "log_to_driver": False, "logging_level": "error"}
        if where == "local":
            os.environ.setdefault("RAY_AUTH_MODE", "disabled")  # nothing listens but on this machine
            about |= {"include_dashboard": False, "num_cpus": max(2, os.cpu_count() or 1)}
        else:  # lanes on other machines know this one's settings, but not its keys
            about |= {"address": where, "runtime_env": {"env_vars": inherited_environment()}}
        ray.init(**about)
    cards = ray.cluster_resources().get("GPU", 0.0)
    size = {"num_gpus": 1} if cards else {"num_cpus": min(1.0, ray.cluster_resources().get("CPU", 1.0) / (most + 1))}
    scale = {"min_replicas": least, "max_replicas": most, "target_ongoing_requests": BUSY}
    serve.start(proxy_location="Disabled")  # the doors are here, not Ray's
    app = serve.deployment(
        Replica, name="lane", ray_actor_options=size, autoscaling_config=scale, max_ongoing_requests=ONGOING
    ).bind()
    return ReplicaPool(serve.run(app, name=NAME, route_prefix=None))


def parse_range(text: str) -> tuple[int, int]:
    """`2` lanes, or `1-8`: as many as the queue asks for."""
    found = re.fullmatch(r"([1-9]\d{0,3})(?:-([1-9]\d{0,3}))?", text)
    least, most = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if most < least:
        raise InvalidRequest(f"the number of lanes is like 2 or 1-8, not '{text}'")
    return least, most
