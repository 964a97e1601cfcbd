"""A colour for every topic, the same in every picture."""

from __future__ import annotations

import colorsys

COLOURS = (
    "#3d7dd8", "#e0752d", "#2f9e5f", "#c9465a", "#8363c9", "#9a6a4b", "#d167a9", "#5f8a22", "#1f9aa8", "#b8901c",
)  # fmt: skip


def colour(topic: int) -> str:
    """A colour for a topic: ten by hand, then around the circle by the golden angle."""
    if topic < len(COLOURS):
        return COLOURS[topic]
    light = (0.42, 0.52, 0.6)[topic % 3]
    red, green, blue = colorsys.hls_to_rgb(topic * 0.381966 % 1, light, 0.5)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


def pale(topic: int, alpha: float = 0.35) -> str:
    """The colour of a topic, translucent."""
    red, green, blue = (int(colour(topic)[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"
