from .trace import text as text
from .trace import to_json as to_json
from .tracepage import page as page
