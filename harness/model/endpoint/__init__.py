"""Language models behind OpenAI-compatible endpoints: what is sent, what comes back, and what has been paid for."""

from __future__ import annotations

from harness.model.endpoint.chat import Chat
from harness.model.endpoint.client import Answer, Away, Endpoint, Refused
from harness.model.endpoint.conversation import Conversation
from harness.model.endpoint.prompt import read_text

__all__ = ["Answer", "Away", "Chat", "Conversation", "Endpoint", "Refused", "read_text"]
