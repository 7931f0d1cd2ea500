from .exact import cosines as cosines
from .exact import inner_products as inner_products
from .exact import row_products as row_products
from .index import build as build
from .index import exact_search as exact_search
from .index import search as search
from .seeds import link_entities as link_entities
from .seeds import nearest_passages as nearest_passages
