from .fit_file import fit as fit
