from .build import Paper as Paper
from .build import several as several
