"""From bytes to text: one encoding, or several of which the first that fits is taken."""

from __future__ import annotations

import codecs
import encodings.aliases
from difflib import get_close_matches

from partwise.text.problems import Problems

_BOM = "\ufeff"


class Decoder:
    """bytes -> text in ``encoding``; a list such as "utf-8,latin-1" is tried in its order, piece by piece."""

    def __init__(self, encoding: str, problems: Problems) -> None:
        self._names = tuple(_known(name.strip()) for name in encoding.split(","))
        self._problems = problems

    @property
    def first(self) -> str:
        """The encoding that is expected."""
        return self._names[0]

    @property
    def by_line(self) -> bool:
        """Whether a line feed is the byte 10, so that bytes can be cut into lines before they are decoded."""
        return all("\n".encode(name) == b"\n" for name in self._names)

    def text(self, raw: bytes, name: str, line: int) -> str:
        """The text of bytes that start at a line of a file, or a sentence that says where it is not text."""
        for encoding in self._names:
            try:
                text = raw.decode(encoding)
            except UnicodeDecodeError as error:
                if encoding == self._names[-1]:
                    raise ValueError(self._refusal(error, raw, name, line)) from None
                continue
            if encoding != self.first:
                self._problems.note(f"Not {self.first}, so read as {encoding}", f"{name}, line {line}")
            return text.removeprefix(_BOM) if line == 1 else text
        raise AssertionError("There is always an encoding.")

    def _refusal(self, error: UnicodeDecodeError, raw: bytes, name: str, line: int) -> str:
        line += raw.count(b"\n", 0, error.start)
        byte = f" (byte 0x{raw[error.start]:02X})" if error.start < len(raw) else ""
        return (
            f"{name}, line {line} is not {' or '.join(self._names)}{byte}; say what it is, such as --encoding latin-1, "
            "or --encoding utf-8,latin-1 where the two are mixed."
        )


def _known(name: str) -> str:
    """The name of a text encoding as Python has it, refused in a sentence with the nearest."""
    try:
        found = codecs.lookup(name)
        if found._is_text_encoding:
            return "utf-8" if found.name == "utf-8-sig" else found.name
    except (LookupError, ValueError):
        pass
    names = {*encodings.aliases.aliases, *encodings.aliases.aliases.values()}
    near = get_close_matches(name.lower().replace("-", "_").replace(" ", "_"), sorted(names), n=1, cutoff=0.6)
    hint = f"did you mean {near[0].replace('_', '-')!r}?" if near else "use a name such as utf-8, latin-1 or cp1252."
    raise ValueError(f"There is no encoding {name!r}; {hint}")
