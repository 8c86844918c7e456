"""What people see and keep. Its readers take the viewer first."""
