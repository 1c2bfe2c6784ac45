"""Plain text from wikitext, the markup of Wikipedia articles.

Paragraphs, list items and headings are kept, each on a line of its own, with the labels of links. Removed are templates
(never expanded), tables, references, comments, formulas, source code, images with their captions, categories, links to
other languages, URLs, and the markup of what stays. The kernel is `polyseme.kernels.wikitext`.
"""

from __future__ import annotations

from collections.abc import Iterable
from html.entities import html5

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import CorpusError
from polyseme.kernels import wikitext as kernels
from polyseme.kernels import wikitext_names as names
from polyseme.kernels import wikitext_tags as tags

MARKUP_BYTES = b"\n[]{}|'&<*#:;=-_),"
MAX_BYTES = 1 << 30  # the kernel counts in int32

REMOVED_TAGS = (
    "categorytree ce chem gallery graph hiero imagemap includeonly indicator inputbox listing mapframe maplink math "
    "phonos pre ref references score source style syntaxhighlight templatedata templatestyles timeline"
)
BLOCK_TAGS = "blockquote br caption center dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p poem section tbody td th tr ul"
INLINE_TAGS = (
    "abbr b bdi bdo big cite code data del dfn em font i ins kbd mark noinclude onlyinclude q rb rp rt rtc ruby s samp "
    "small span strike strong sub sup time tt u var wbr"
)
TAGS = {
    tags.REMOVED_TAG: REMOVED_TAGS,
    tags.VERBATIM_TAG: "nowiki",
    tags.BLOCK_TAG: BLOCK_TAGS,
    tags.INLINE_TAG: INLINE_TAGS,
    tags.TABLE_TAG: "table",
}

# Prefixes of links that are not shown. A dump lists one name of each namespace in its language, but not other names
# that articles use too.
HIDDEN_PREFIXES = (
    "File Image Media Category Bild Datei Kategorie Archivo Imagen Categoría Fichier Catégorie Immagine Categoria "
    "Imagem Ficheiro Afbeelding Bestand Categorie Grafika Plik Kategoria Файл Изображение Категория Зображення "
    "Категорія Soubor Obrázek Kép Fájl Kategória Dosya Resim Tiedosto Kuva Luokka Fil Kategori Imatge Fitxer Imagine "
    "Fișier Slika Датотека Слика ファイル 画像 文件 檔案 档案 图像 圖像 分类 分類 파일 그림 분류 "
    "ملف صورة تصنيف پرونده تصویر رده קובץ תמונה קטגוריה चित्र श्रेणी simple"
)
SHOWN_PREFIXES = ("voy", "doi", "rfc", "isbn")  # of two or three letters, but not languages


class WikitextStripper:
    """Removes the markup of wikitext. It has no state that changes, so threads can share it.

    hidden_prefixes  more names of the namespaces of files and categories, as in the dump's `<namespaces>`

    >>> WikitextStripper()("'''Basel''' lies on the [[Rhine|river Rhine]].<ref>An atlas</ref> {{stub}}")
    'Basel lies on the river Rhine.'
    """

    def __init__(self, hidden_prefixes: Iterable[str] = ()) -> None:
        self.classes = np.zeros(256, np.uint8)
        self.classes[list(MARKUP_BYTES)] = kernels.MARKUP
        self.classes[[*range(10), *range(11, 33)]] = kernels.WHITESPACE
        self.keys, self.values = _name_table(hidden_prefixes)

    def __call__(self, wikitext: str) -> str:
        text = np.frombuffer(wikitext.encode("utf-8", "replace"), np.uint8)
        n = len(text)
        if n > MAX_BYTES:
            raise CorpusError(f"a page of {n:,} bytes is too long; the limit is {MAX_BYTES:,}.")
        unclosed, stack, out = (
            np.zeros(tags.MAX_TAGS, np.uint8),
            np.empty((n // 2 + 1, 3), np.int32),
            np.empty(n + 8, np.uint8),
        )
        length = kernels.strip_wikitext(text, self.classes, self.keys, self.values, unclosed, stack, out)
        return out[:length].tobytes().decode().strip()


def _name_table(hidden_prefixes: Iterable[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The hash table of `polyseme.kernels.wikitext_names`."""
    values: dict[int, int] = {}
    for kind, group in TAGS.items():
        for name in group.split():
            values[_hash_name(name.encode(), names.TAG_NAME)] = kind * tags.MAX_TAGS
    removed = [*REMOVED_TAGS.split(), "nowiki"]
    for number, name in enumerate(removed):
        values[_hash_name(name.encode(), names.TAG_NAME)] += number
    for name, characters in html5.items():
        expansion = " " if characters.isspace() else "" if characters == "\N{SOFT HYPHEN}" else characters
        if name.endswith(";") and len(expansion.encode()) <= len(name):  # the output is never longer than the markup
            code = _hash_name(name[:-1].encode(), names.ENTITY_NAME)
            values[code] = int.from_bytes(expansion.encode(), "little")
    for prefix in SHOWN_PREFIXES:
        values[_hash_name(prefix.encode(), names.LINK_NAME)] = names.SHOWN
    for prefix in (*HIDDEN_PREFIXES.split(), *hidden_prefixes):
        for name in {prefix, prefix.lower(), prefix.upper(), prefix.capitalize()}:
            values[_hash_name(name.encode(), names.LINK_NAME)] = names.HIDDEN
    return _hash_table(values)


def _hash_table(values: dict[int, int]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    size = 1 << (2 * len(values)).bit_length()
    keys, table = np.zeros(size, np.uint64), np.zeros(size, np.int64)
    for code, value in values.items():
        slot = (code ^ code >> 32) & size - 1
        while keys[slot]:
            slot = slot + 1 & size - 1
        keys[slot], table[slot] = code, value
    return keys, table


def _hash_name(name: bytes, kind: int) -> int:
    """The hash of `polyseme.kernels.wikitext_names.hash_name`."""
    basis, prime, mask = int(names.FNV_BASIS), int(names.FNV_PRIME), 2**64 - 1
    code = (basis ^ kind) * prime & mask
    folded = name if kind == names.ENTITY_NAME else bytes(c | 0x20 if c in range(65, 91) else c for c in name)
    for c in folded.replace(b"_", b" "):
        code = (code ^ c) * prime & mask
    return code
