"""Coverage-guided fuzzing with atheris: bytes of strangers in, and out only what each reader promises.

    python -m tests.fuzz TARGET --seconds N

Rules:
1. A target is a function of bytes in ``targets``. It calls one reader the way the product does and lets through only
   the errors that the reader's docstring names; anything else is a finding, and so is a limit that does not hold, a
   hang of ten seconds, or 2 GiB of memory.
2. What it starts from is made by the product's own writers (``seeds``), so that it follows every change of form.
3. A finding is committed as ``findings/TARGET/NAME`` with its fix; ``tests/property/test_fuzz_targets.py`` runs all
   seeds and findings without atheris.
"""
