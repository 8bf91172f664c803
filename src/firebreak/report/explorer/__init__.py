"""The explorer: its page, its server, and its answers to queries. Static reports are in `pages`."""
