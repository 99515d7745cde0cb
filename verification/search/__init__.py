"""Evidence that a statistician and an auditor would ask for: `make verify` tries to break every guarantee, and reports."""
