"""The winner of a lock in use: on given lists, on new questions, on another corpus."""
