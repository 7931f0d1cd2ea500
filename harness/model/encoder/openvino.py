"""A sentence-transformers model compiled by OpenVINO for the CPU. In float32 its cosine to torch is
above 0.999999.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.core.arrays import Float32Array
from harness.core.errors import HarnessError

if TYPE_CHECKING:
    import sentence_transformers
    from torch import Tensor

PRECISIONS = {"float32": "f32", "bfloat16": "bf16", "int8": "f32"}
"""OpenVINO's names of the precisions. For int8 it is that of everything except matrix products with
weights.
"""
GROUP = 128
"""Number of activations of a text that share a scale in int8."""


def compile_model(
    model: sentence_transformers.SentenceTransformer, streams: int, precision: str = "float32"
) -> Callable[[Mapping[str, Tensor]], Float32Array]:
    """Return a function from a batch's features to float32[n, d].

    Up to ``streams`` threads may call it at once. Each stream is one thread, so their number
    changes no bit.

    Args:
        model: the model.
        streams: number of streams.
        precision: ``float32``, ``bfloat16`` or ``int8``.

    Raises:
        HarnessError: openvino is missing, or the CPU does not compute in that precision.
    """
    try:
        import openvino
    except ImportError as error:
        raise HarnessError(
            "encoder.backend=openvino needs openvino: pip install openvino, or set "
            "encoder.backend=torch"
        ) from error
    import torch

    if any(getattr(module, "include_prompt", True) is False for module in model):
        raise HarnessError(
            "encoder.backend=openvino cannot leave prompts out of the mean; set "
            "encoder.backend=torch"
        )
    example = {
        name: value
        for name, value in model.preprocess(["one text", "two"]).items()
        if torch.is_tensor(value)
    }
    names = tuple(example)

    class Positional(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
            output: torch.Tensor = self.model(dict(zip(names, inputs, strict=True)))[
                "sentence_embedding"
            ]
            return output

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = openvino.convert_model(Positional(), example_input=tuple(example.values()))
    type_name = PRECISIONS[precision]
    settings = {
        "INFERENCE_PRECISION_HINT": type_name,
        "NUM_STREAMS": streams,
        "INFERENCE_NUM_THREADS": streams,
        # pinning would put the streams of every process onto the same first cores
        "ENABLE_CPU_PINNING": False,
    }
    if precision == "int8":
        _quantize(graph)
        settings["DYNAMIC_QUANTIZATION_GROUP_SIZE"] = GROUP
    network = openvino.Core().compile_model(graph, "CPU", settings)
    actual = network.get_property("INFERENCE_PRECISION_HINT")
    if actual != getattr(openvino.Type, type_name):
        raise HarnessError(
            f"encoder.precision={precision}: this CPU has {actual.get_type_name()}; set "
            "encoder.precision=float32"
        )
    per_thread = threading.local()

    def forward(features: Mapping[str, Tensor]) -> Float32Array:
        if not hasattr(per_thread, "request"):
            per_thread.request = network.create_infer_request()
        per_thread.request.infer([features[name].numpy() for name in names])
        vectors: Float32Array = per_thread.request.get_output_tensor(0).data.copy()
        return vectors

    return forward


def _quantize(graph: Any) -> None:
    """Round the weights of matrix products to round(127 w / s) in int8, s the largest |w| of an
    output.

    OpenVINO multiplies them with activations that it rounds to int8 as they come, so no texts are
    needed for a calibration.
    """
    from openvino import opset13 as operations

    for product in graph.get_ordered_ops():
        if (
            product.get_type_name() != "MatMul"
            or product.input_value(1).get_node().get_type_name() != "Constant"
        ):
            continue
        weights = product.input_value(1).get_node().data
        axis = 1 if product.get_attributes()["transpose_b"] else 0
        scale = (np.abs(weights).max(axis=axis, keepdims=True) / 127).astype(np.float32)
        rounded = operations.constant(np.rint(weights / scale).astype(np.int8))
        scaled = operations.multiply(operations.convert(rounded, "f32"), operations.constant(scale))
        product.input(1).replace_source_output(scaled.output(0))
    graph.validate_nodes_and_infer_types()
