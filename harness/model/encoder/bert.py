"""BERT by torch alone, for a GPU: importing transformers takes longer there than encoding a
benchmark.

It supports ``BertModel`` with absolute positions and gelu, one pooling of tokens, and no further
layer. Other models are loaded by sentence-transformers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

PLAIN = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
MODULES = (("Transformer", "Pooling"), ("Transformer", "Pooling", "Normalize"))
POOLED = ("pooling_mode_mean_tokens", "pooling_mode_cls_token")
WEIGHTS = "model.safetensors"


@dataclass(frozen=True)
class BertFolder:
    """The folder of a sentence-transformers model.

    Attributes:
        path: the folder.
        config: the configuration of the model.
        mean: whether a text's vector is the mean of its tokens. Otherwise it is that of the first
            token.
        limit: number of tokens read of a text.
    """

    path: Path
    config: Mapping[str, Any]
    mean: bool
    limit: int

    @classmethod
    def read(cls, path: Path, limit: int | None = None) -> BertFolder | None:
        """Return the model of a folder, or None for another kind of model or no folder.

        Args:
            path: the folder.
            limit: number of tokens read; None for the model's own.
        """
        try:
            modules = [module["type"].rpartition(".")[2] for module in _json(path / "modules.json")]
            config, pooling = _json(path / "config.json"), _json(path / "1_Pooling" / "config.json")
            own = _json(path / "sentence_bert_config.json")
            plain = {**PLAIN, **{name: config[name] for name in PLAIN if name in config}} == PLAIN
            named = [
                name
                for name, value in pooling.items()
                if name.startswith("pooling_mode_") and value is True
            ]
            whole = (path / "tokenizer.json").is_file() and (path / WEIGHTS).is_file()
            if not (
                plain
                and whole
                and tuple(modules) in MODULES
                and len(named) == 1
                and named[0] in POOLED
                and pooling.get("include_prompt", True)
                and not own.get("do_lower_case")
            ):
                return None
            return cls(path, config, named[0] == POOLED[0], limit or int(own["max_seq_length"]))
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return None

    def open(self, device: str, dtype: str) -> Bert:
        """Return the model with its weights on a device, in a dtype of torch."""
        return Bert(self, device, dtype)


class Bert:
    """The forward pass: token numbers and mask, [B, T], to one vector for each text, float32[B,
    d].
    """

    def __init__(self, folder: BertFolder, device: str, dtype: str) -> None:
        import torch
        from safetensors.torch import load_file

        config, kept = folder.config, getattr(torch, dtype)
        found = {
            name.removeprefix("bert."): tensor
            for name, tensor in load_file(str(folder.path / WEIGHTS)).items()
        }
        self._weights = {
            name: tensor.to(device, kept)
            for name, tensor in found.items()
            if tensor.is_floating_point()
        }
        for layer in range(config["num_hidden_layers"]):  # one product in place of three
            own = f"encoder.layer.{layer}.attention.self."
            for kind in ("weight", "bias"):
                three = [
                    self._weights.pop(f"{own}{name}.{kind}") for name in ("query", "key", "value")
                ]
                self._weights[f"{own}all.{kind}"] = torch.cat(three)
        self._layers, self._heads = (
            int(config["num_hidden_layers"]),
            int(config["num_attention_heads"]),
        )
        self._width, self._epsilon = (
            int(config["hidden_size"]),
            float(config.get("layer_norm_eps", 1e-12)),
        )
        self._mean = folder.mean

    def __call__(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the vectors.

        Args:
            ids: int64[B, T], token numbers.
            mask: bool[B, T], whether a place is a token of the text.
        """
        from torch.nn.functional import embedding, gelu, scaled_dot_product_attention

        weights, (count, length) = self._weights, ids.shape
        x = embedding(ids, weights["embeddings.word_embeddings.weight"])
        x = x + weights["embeddings.position_embeddings.weight"][:length]
        x = self._norm(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings")
        seen = mask[:, None, None, :].expand(count, 1, length, length)
        for layer in range(self._layers):
            at = f"encoder.layer.{layer}."
            three = self._linear(x, f"{at}attention.self.all").view(
                count, length, 3, self._heads, -1
            )
            query, key, value = three.permute(2, 0, 3, 1, 4)
            heard = scaled_dot_product_attention(query, key, value, attn_mask=seen)
            heard = heard.transpose(1, 2).reshape(count, length, self._width)
            x = self._norm(
                self._linear(heard, f"{at}attention.output.dense") + x, f"{at}attention.output"
            )
            wide = gelu(self._linear(x, f"{at}intermediate.dense"))
            x = self._norm(self._linear(wide, f"{at}output.dense") + x, f"{at}output")
        if not self._mean:
            return x[:, 0].float()
        kept = mask[..., None]
        total: Tensor = (x * kept).float().sum(1) / kept.sum(1)
        return total

    def _linear(self, x: Tensor, name: str) -> Tensor:
        from torch.nn.functional import linear

        return linear(x, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _norm(self, x: Tensor, name: str) -> Tensor:
        from torch.nn.functional import layer_norm

        own = f"{name}.LayerNorm"
        return layer_norm(
            x,
            (self._width,),
            self._weights[f"{own}.weight"],
            self._weights[f"{own}.bias"],
            self._epsilon,
        )


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
