"""Which variables of a kernel need no place in memory."""

from typing import Any

from numba.core import ir


def values_of(function: Any) -> set[str]:
    """Names of the variables that are assigned once, where all that use them come after."""
    blocks = function.blocks
    assigned: dict[str, int] = {}
    seldom: set[str] = set()
    for offset in sorted(blocks):
        for inst in blocks[offset].body:
            if isinstance(inst, ir.Assign):
                name = inst.target.name
                (seldom.discard if name in assigned else seldom.add)(name)
                assigned[name] = offset
    dominators = function.variable_lifetime.cfg.dominators()
    for offset in sorted(blocks):
        here: set[str] = set()
        for inst in blocks[offset].body:
            for name in names_used(inst):
                if name in seldom and name not in here:
                    by = assigned[name]
                    if by >= offset or by not in dominators.get(offset, ()):
                        seldom.discard(name)
            if isinstance(inst, ir.Assign):
                here.add(inst.target.name)
    return seldom


def names_used(inst: Any) -> list[str]:
    """Names of the variables whose values a statement needs."""
    if not isinstance(inst, ir.Assign):
        return [each.name for each in inst.list_vars()]
    value = inst.value
    if isinstance(value, ir.Var):
        return [value.name]
    return _names(list(value._kws.values())) if isinstance(value, ir.Expr) else []


def _names(held: Any) -> list[str]:
    found: list[str] = []
    for each in held:
        if isinstance(each, ir.Var):
            found.append(each.name)
        elif isinstance(each, list | tuple):
            found += _names(each)
    return found
