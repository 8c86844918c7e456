"""What an operator is handed: files for machines and containers, and the commands that the pages name."""
