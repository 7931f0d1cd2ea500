from .build import Paper as Paper
