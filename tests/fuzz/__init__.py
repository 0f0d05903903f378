"""Coverage-guided fuzzing with atheris: bytes of strangers in, and out only what each reader promises.

    python -m tests.fuzz TARGET|all --seconds N     fuzz, and count
    python -m tests.fuzz TARGET --input FILE        run one input, without atheris: what a finding is looked at with
    python -m tests.fuzz TARGET --minimise          commit the inputs that reach what the seeds do not
    python -m tests.fuzz total                      executions of all runs so far

Rules:
1. A target is a function of bytes in ``targets``. It calls one reader the way the product does and lets through only
   the errors that the reader's docstring names. A finding is anything else, a bound that does not hold (``targets``
   sets the product's own limits low enough for small inputs to reach them), memory that one input makes grow
   (``watch``), and an input that takes longer than ``--hang-seconds``.
2. Kernels are compiled with bounds checks here: what the product would read beside its arrays is an IndexError.
3. What a target starts from is made by the product's own writers (``seeds``), so that it follows every change of form;
   and what earlier runs found beyond that (``corpus``, a few kB a target, see ``minimise``).
4. A finding is committed as ``findings/TARGET/NAME`` with its fix; ``tests/property/test_fuzz_targets.py`` runs all
   seeds and findings without atheris.
5. That the engine notices a crash, a hang and a hoard is itself tested, on ``planted`` ones.
"""
