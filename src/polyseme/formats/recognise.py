"""Finding out the format of a vector file or folder from its content."""

from __future__ import annotations

import codecs
from pathlib import Path

from polyseme.errors import DataError
from polyseme.formats.glove import MIN_DIM
from polyseme.formats.header import header_numbers, num_trailing_numbers
from polyseme.formats.registry import ALL, FORMATS, Format
from polyseme.formats.text_file import open_vectors
from polyseme.formats.word2vec_binary import is_binary

HEAD_BYTES = 1 << 20  # read to recognise the format
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"PK\x03\x04": "numpy"}
REFUSED = (  # first bytes of files that have no vectors for us, and what to do with them
    ((b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"),
     "is a pickle, which is never opened; save it in gensim with save_word2vec_format"),
    ((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "is UTF-16; convert it first: iconv -f utf-16 -t utf-8 IN > OUT"),
    ((b"\xba\x16\x4f\x2f",), "is a fastText model; use the .vec file that fastText writes beside it"),
)  # fmt: skip
SUPPORTED = (
    "word2vec text ('V D', then 'word x1 ... xD'), GloVe (the same without the first line), word2vec binary, the "
    "format of the paper's authors ('V D S maxout'), Parquet, Arrow, NumPy .npz"
)


def recognise(path: Path) -> Format | None:
    """The format of a vector file or folder; None for any other folder, which may be a model.

    DataError for a file that has no vectors.
    """
    if path.is_dir() or not path.exists():
        return next(
            (entry for entry in ALL if entry.folder and entry.reader and (path / entry.folder[0]).exists()), None
        )
    if not path.is_file():
        raise DataError(f"{path} is neither a file nor a folder; pass a model folder or a vector file.")
    with open_vectors(path) as file:
        head = file.read(HEAD_BYTES)
    if not head.strip():
        raise DataError(f"{path} is empty; expected vectors in one of these formats: {SUPPORTED}.")
    for starts, reason in REFUSED:
        if head.startswith(starts):
            raise DataError(f"{path} {reason}.")
    name = next((name for magic, name in MAGIC.items() if head.startswith(magic)), None) or _text_format(head)
    if name is None:
        raise DataError(f"{path} is not a vector file; supported formats are {SUPPORTED}.")
    return FORMATS[name]


def _text_format(head: bytes) -> str | None:
    """The name of the format of a text file, or of word2vec binary, which starts with a line of text."""
    first_line, _, rest = head.partition(b"\n")
    match header_numbers(first_line):
        case [_, dim]:
            return "word2vec-binary" if is_binary(rest, dim) else "word2vec"
        case [_, _, _, 0 | 1]:
            return "mssg"
    return "glove" if num_trailing_numbers(first_line) >= MIN_DIM else None
