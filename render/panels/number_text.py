"""Numbers as people read them; the window's numbers are written so, too. Knows no imgui."""


def legible(text: str) -> str:
    """As imgui and a clipboard take it: bytes that were no UTF-8 (``net.nbt``) as JSON's escapes."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def count(number: int) -> str:
    """Thousands apart."""
    return f"{number:,}".replace(",", " ")


def counted(number: int, noun: str) -> str:
    """So many of something."""
    return f"{count(number)} {noun}" + ("" if number == 1 else "s")


def size(number: float) -> str:
    """Bytes, with as many digits as one reads."""
    for unit in ("B", "KB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.2f} GB"


def rate(number: float) -> str:
    """Bytes a second."""
    return f"{size(number)}/s"


def ago(seconds: float) -> str:
    """How long since."""
    return f"{seconds:.0f} s ago" if seconds < 100 else f"{seconds / 60:.0f} min ago"
