"""A client used for minutes or hours, and ended at any moment; see ``__main__``."""
