from .record import fit as fit
