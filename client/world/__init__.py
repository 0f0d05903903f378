"""What the client was told: block table, pools, lifecycle, store, changes. No pixels, no messages, no clock."""
