"""What comes back: the factors, their history and their certificate."""
