"""Language models behind OpenAI-compatible endpoints: requests, answers and their cost."""
