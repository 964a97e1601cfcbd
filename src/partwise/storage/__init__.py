"""Files: archives of arrays and JSON, locks, settings as plain values."""
