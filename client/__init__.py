"""What we know of the world and what we want of it; see README.md beside this file. No GL in here."""
