"""From configuration to strategies: where conf/ is, composing it, and instantiating what
it names.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
