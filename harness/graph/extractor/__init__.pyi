from .extraction import KINDS as KINDS
from .extraction import Extraction as Extraction
from .extraction import Extractor as Extractor
from .extraction import Mentions as Mentions
from .extraction import Triples as Triples
from .extraction import artifact as artifact
from .extraction import extract as extract
from .mention import find_mentions as find_mentions
