"""The protocol judged by itself: how often it finds what is not there, and what is there."""
