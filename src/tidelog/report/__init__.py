"""What people see of a program: tables and pictures."""
