"""What `earshot check` looks at, one file for each thing. A check returns lines and never a secret."""
