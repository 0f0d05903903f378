"""Bedrock resource packs from the user's disk: other pictures for blocks, read with distrust."""
