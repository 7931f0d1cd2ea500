"""PolicyRAG's diagnostic measures."""
