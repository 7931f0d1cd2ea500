"""Extractors: passages and questions to names, mentions and triples, one strategy a file."""

from .extraction import KINDS as KINDS
from .extraction import Extraction as Extraction
from .extraction import Extractor as Extractor
from .extraction import Mentions as Mentions
from .extraction import NamePlace as NamePlace
from .extraction import QuestionNames as QuestionNames
from .extraction import Triples as Triples
from .extraction import artifact as artifact
from .extraction import extract as extract
from .extraction import find_names as find_names
from .mention import find_mentions as find_mentions
