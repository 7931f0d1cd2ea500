from . import terminal as terminal
from .conclusions import explanations as explanations
from .conclusions import in_short as in_short
from .conclusions import sentences as sentences
from .forecast import forecast_table as forecast_table
