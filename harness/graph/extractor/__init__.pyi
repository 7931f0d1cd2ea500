from .extraction import KINDS as KINDS
from .extraction import Extraction as Extraction
from .extraction import Mentions as Mentions
from .extraction import Triples as Triples
from .mention import find_mentions as find_mentions
from .stage import Extractor as Extractor
from .stage import artifact as artifact
from .stage import extract as extract
