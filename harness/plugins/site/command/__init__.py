"""The command of the plug-in site."""
