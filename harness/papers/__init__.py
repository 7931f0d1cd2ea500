"""What published systems bring, a folder a paper, each found as a plug-in is: the core works without them."""
