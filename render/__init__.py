"""The only code that draws; see README.md beside this file."""
