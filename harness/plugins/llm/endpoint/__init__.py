"""Language models behind OpenAI-compatible endpoints: what is sent, what comes back, and what has
been paid for.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
