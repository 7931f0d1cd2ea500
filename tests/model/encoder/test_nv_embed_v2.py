"""The model needs a GPU and the Hub; here stands what its model card asks for."""

from harness.core.identity import digest
from harness.model.encoder.nv_embed_v2 import NvEmbedV2


def test_settings_of_the_model_card():
    settings = NvEmbedV2().configured()
    assert settings.model == "nvidia/NV-Embed-v2"
    assert settings.question_prompt == (
        "Instruct: Given a question, retrieve passages that answer the question\nQuery: "
    )
    assert settings.passage_prompt == settings.name_prompt == ""
    assert (settings.suffix, settings.padding_side, settings.trust_remote_code) == (
        "</s>",
        "right",
        True,
    )


def test_the_device_is_no_part_of_its_identity_and_the_instruction_is():
    assert digest(NvEmbedV2(device="cpu")) == digest(NvEmbedV2())
    assert digest(NvEmbedV2(instruction="x")) != digest(NvEmbedV2())
