"""Grey images in the portable graymap format: binary (P5) and plain (P2), 8 bits a pixel."""

import re

import numpy as np
from numpy.typing import NDArray

# A comment may stand between any two fields of the header; one blank ends it.
_FIELD = rb"(?:\s|#[^\n]*\n)+"
_HEADER = re.compile(rb"(P[25])" + _FIELD + rb"(\d+)" + _FIELD + rb"(\d+)" + _FIELD + rb"(\d+)\s")


def read_pgm(content: bytes, name: str) -> NDArray[np.uint8]:
    """The image, height × width; `name` says in an error where the bytes are from."""
    header = _HEADER.match(content)
    if header is None:
        raise ValueError(f"{name}, line 1: expected the header of a pgm image, such as 'P5 19 19 255'.")
    width, height, most = (int(field) for field in header.group(2, 3, 4))
    if not (width and height and 1 <= most <= 255):
        raise ValueError(f"{name}, line 1: the header says {width} × {height} with grey up to {most}; 8 bits are read.")
    body = content[header.end() :]
    pixels = _binary(body) if header[1] == b"P5" else _plain(body, name)
    if len(pixels) < width * height:
        raise ValueError(f"{name}: the image is cut off, {len(pixels):,} of {width * height:,} pixels are there.")
    image: NDArray[np.uint8] = pixels[: width * height].reshape(height, width)
    return image


def _binary(body: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(body, np.uint8)


def _plain(body: bytes, name: str) -> NDArray[np.uint8]:
    words = re.sub(rb"#[^\n]*", b"", body).split()
    for word in words:
        if not word.isdigit() or int(word) > 255:
            raise ValueError(f"{name}: expected grey values up to 255, found {word.decode('latin-1')!r}.")
    return np.array([int(word) for word in words], np.uint8)
