"""Single documents that are not as they should be: counted, and told in a sentence each kind."""

from __future__ import annotations


class Problems:
    """How often each kind of trouble was met, and where first."""

    def __init__(self) -> None:
        self._met: dict[str, tuple[int, str]] = {}

    def note(self, what: str, where: str) -> None:
        """Count one more of a kind, and keep the place of the first."""
        count, first = self._met.get(what, (0, where))
        self._met[what] = (count + 1, first)

    def add(self, other: Problems) -> None:
        """Take over what was noted elsewhere, later in the collection."""
        for what, (count, where) in other._met.items():
            mine, first = self._met.get(what, (0, where))
            self._met[what] = (mine + count, first)

    def sentences(self) -> tuple[str, ...]:
        """One sentence for each kind, in the order in which they were met."""
        return tuple(
            f"{what}: {first}." if count == 1 else f"{what}: {count:,} times, first {first}."
            for what, (count, first) in self._met.items()
        )
