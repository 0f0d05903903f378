"""One deterministic machine: message, tick, view and anchor in; store changes and messages out."""
