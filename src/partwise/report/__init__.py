"""One self-contained page that explains a factorisation to someone who has never heard of one."""

from partwise.report.write import write_report

__all__ = ["write_report"]
