"""What computes a checkpoint's network: a graph on ONNX Runtime, or a class of transformers on torch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from unmask.canvas import Ints
from unmask.errors import InvalidRequest, Unsupported
from unmask.models.architecture import Architecture, Part
from unmask.models.checkpoint_weights import Array, CheckpointWeights, TensorFiles
from unmask.models.describe import describe, read_architecture
from unmask.models.float_pass import divergence, float_logits
from unmask.models.graph_network import GraphNetwork, write_graph
from unmask.models.hub import hardware
from unmask.models.hub.checkpoint_spec import CheckpointSpec
from unmask.models.hub.converted import FILE, OpeningStep, Watch, converted, facts
from unmask.models.rotated_weights import RotatedWeights, can_turn

ENGINES = ("onnx", "transformers")
GRAPH_NUMBERS = ("fp32", "int8")  # number types of the graph
INT8_FROM = 100_000_000  # parameters from which a graph is in eight bits, unless another type is asked for
FARTHEST = 0.05  # mean divergence in nats from which eight bits are too coarse for a model
TEXT = "The sun rises in the east and sets in the west. The moon is seen at night."
CELLS = 32  # of the canvas that both types answer


def pick_engine(name: str, spec: CheckpointSpec, device: str, number: str, recorded: bool = False) -> str:
    """The requested engine, or the graph on a processor where it has the network and the number type.

    `recorded` forwards (CUDA graphs) are those of transformers."""
    if name not in ("", *ENGINES):
        raise InvalidRequest(f"no engine '{name}'; there are {', '.join(ENGINES)}")
    if name == "transformers" or (recorded and not name):
        return "transformers"
    try:
        shape = read_architecture(spec)
        if number not in ("", *GRAPH_NUMBERS):
            raise Unsupported(f"the engine onnx has no number type '{number}'; there are {', '.join(GRAPH_NUMBERS)}")
        if number == "int8" and not can_turn(shape):
            raise Unsupported(f"the engine onnx has no eight bits for {spec.native}, whose norms subtract the mean")
        if device != "cpu":
            raise Unsupported(f"the engine onnx runs on the CPU, not on '{device}'")
        if recorded:
            raise Unsupported("the engine onnx has no CUDA graphs: leave graphs=yes out")
    except Unsupported:
        if name:
            raise
        return "transformers"
    return "onnx"


def graph_number(requested: str, spec: CheckpointSpec, parameters: int) -> str:
    """The number type of a graph."""
    large = parameters > INT8_FROM and can_turn(read_architecture(spec))
    return requested or ("int8" if large else "fp32")


def load_graph(
    folder: Path, spec: CheckpointSpec, number: str, threads: int, digest: str, canvas: Ints, watch: Watch, fixed: bool
) -> GraphNetwork:
    """The network of a folder as a graph; raises InvalidRequest if its weights are wrong.

    `digest` is the hash of the weights. Both number types answer `canvas` when one is made in eight bits; if they
    differ too much, fp32 is opened, unless the type is `fixed`."""
    files = TensorFiles(sorted(folder.glob("*.safetensors")))
    architecture = describe(spec, files.shapes, folder.name)
    weights = CheckpointWeights(files.read, architecture.parts)

    def write(into: Path) -> dict[str, float]:
        watched = WatchedWeights(files.read, architecture, watch)
        turned = RotatedWeights(watched, architecture) if number == "int8" else watched
        write_graph(into / FILE, turned, architecture, number=number)
        if number != "int8":
            return {}
        watch(OpeningStep("comparing", 0, 1))
        exact = float_logits(weights, architecture, canvas, threads, into)
        narrow = GraphNetwork(architecture, turned, threads, number=number, file=into / FILE)
        return {"divergence": divergence(exact, narrow.logits(canvas[None], np.arange(len(canvas)))[0])}

    size = hardware.graph_bytes(architecture.parameters, number, spec.config, on_disk=True)
    made = converted(folder, digest, number, size, write, watch)
    far = facts(made).get("divergence")
    if far is not None and not far <= FARTHEST and not fixed:
        return load_graph(folder, spec, "fp32", threads, digest, canvas, watch, fixed=True)
    watch(OpeningStep("opening", 0, 1))
    kept = RotatedWeights(weights, architecture) if number == "int8" else weights
    network = GraphNetwork(architecture, kept, threads, digest, number, made / FILE)
    network.divergence = far
    return network


class WatchedWeights(CheckpointWeights):
    """Weights that say which layer is read."""

    def __init__(self, read: Callable[[Part], Array], shape: Architecture, watch: Watch) -> None:
        super().__init__(read, shape.parts)
        self.layers, self.watch, self.at = shape.layers, watch, 0

    def __getitem__(self, role: str) -> Array:
        if role.startswith("layers."):
            self.at = int(role.split(".")[1]) + 1
        self._say()
        return super().__getitem__(role)

    def rows(self, role: str, begin: int, end: int) -> Array:
        self._say()
        return super().rows(role, begin, end)

    def _say(self) -> None:
        self.watch(OpeningStep("converting", self.at, self.layers) if self.at else OpeningStep("reading", 0, 1))
