"""NAME: say in a sentence what this plug-in brings, and name others that it uses, as in NEEDS =
("llm",).
"""
