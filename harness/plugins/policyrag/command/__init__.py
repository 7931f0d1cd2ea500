"""The command of the plug-in policyrag."""
