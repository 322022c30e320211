"""What computes a checkpoint's network: a graph on ONNX Runtime, or a class of transformers on torch."""

from __future__ import annotations

from pathlib import Path

from unmask.errors import InvalidRequest, Unsupported
from unmask.models.checkpoint_weights import CheckpointWeights, TensorFiles
from unmask.models.describe import describe, read_architecture
from unmask.models.graph_network import GraphNetwork
from unmask.models.hub.checkpoint_spec import CheckpointSpec

ENGINES = ("onnx", "transformers")
GRAPH_NUMBERS = ("fp32",)  # number types of the graph


def pick_engine(name: str, spec: CheckpointSpec, device: str, number: str, recorded: bool = False) -> str:
    """The requested engine, or the graph on a processor where it has the network and the number type.

    `recorded` forwards (CUDA graphs) are those of transformers."""
    if name not in ("", *ENGINES):
        raise InvalidRequest(f"no engine '{name}'; there are {', '.join(ENGINES)}")
    if name == "transformers" or (recorded and not name):
        return "transformers"
    try:
        read_architecture(spec)
        if number not in ("", *GRAPH_NUMBERS):
            raise Unsupported(f"the engine onnx has no number type '{number}'; there are {', '.join(GRAPH_NUMBERS)}")
        if device != "cpu":
            raise Unsupported(f"the engine onnx runs on the CPU, not on '{device}'")
        if recorded:
            raise Unsupported("the engine onnx has no CUDA graphs: leave graphs=yes out")
    except Unsupported:
        if name:
            raise
        return "transformers"
    return "onnx"


def load_graph(folder: Path, spec: CheckpointSpec, number: str, threads: int) -> GraphNetwork:
    """The network of a folder as a graph; raises InvalidRequest if its weights are wrong."""
    files = TensorFiles(sorted(folder.glob("*.safetensors")))
    architecture = describe(spec, files.shapes, folder.name)
    return GraphNetwork(architecture, CheckpointWeights(files.read, architecture.parts), threads, number=number)
