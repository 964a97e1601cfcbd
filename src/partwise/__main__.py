"""``python -m partwise`` is the command ``partwise``."""

from partwise.cli import main

if __name__ == "__main__":
    main()
