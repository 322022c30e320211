"""What computes a checkpoint's network: a graph on ONNX Runtime, or a class of transformers on torch."""

from __future__ import annotations

from pathlib import Path

from unmask.canvas import Ints
from unmask.errors import InvalidRequest, Unsupported
from unmask.models.checkpoint_weights import CheckpointWeights, TensorFiles
from unmask.models.describe import describe, read_architecture
from unmask.models.graph_network import GraphNetwork
from unmask.models.hub import hardware
from unmask.models.hub.checkpoint_spec import CheckpointSpec
from unmask.models.hub.conversion import Conversion, convert
from unmask.models.hub.converted import FILE, OpeningStep, Watch, facts
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

    If eight bits differ too much from fp32 on `canvas`, fp32 is opened, unless the type is `fixed`."""
    files = TensorFiles(sorted(folder.glob("*.safetensors")))
    architecture = describe(spec, files.shapes, folder.name)
    size = hardware.graph_bytes(architecture.parameters, number, spec.config, on_disk=True)
    made = convert(Conversion(folder, architecture, digest, number, threads, canvas, size), watch)
    far = facts(made).get("divergence")
    if far is not None and not far <= FARTHEST and not fixed:
        return load_graph(folder, spec, "fp32", threads, digest, canvas, watch, fixed=True)
    watch(OpeningStep("opening", 0, 1))
    weights = CheckpointWeights(files.read, architecture.parts)
    kept = RotatedWeights(weights, architecture) if number == "int8" else weights
    network = GraphNetwork(architecture, kept, threads, digest, number, made / FILE)
    network.divergence = far
    return network
