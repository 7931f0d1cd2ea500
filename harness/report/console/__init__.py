"""The output of commands: tables, the sentences below them, and answers."""
