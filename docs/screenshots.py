"""Makes the pictures of docs/guides/explorer.md from a model: python -m docs.screenshots MODEL [--corpus TEXT]

Needs chromium, chromium-driver and the extra [test]. The pictures in the repository show a model of English Wikipedia.
"""

from __future__ import annotations

import argparse
import base64
import io
from pathlib import Path

from PIL import Image

from tests.explorer.browser.page import Page
from tests.explorer.browser.processes import running, start_browser

FIGURES = Path(__file__).parent / "figures"
TEXT = (
    "The star of the film grew up on a farm. Every night she watched the brightest star in the sky from a rock above "
    "the sea. Years later she left her cell phone in the port, where a crew was loading coal, and joined a rock band."
)
SCALE = 1.5
LARGEST = 300_000  # bytes


def picture(page: Page, name: str, fragment: str, *, theme: str, height: int, hover: str = "") -> None:
    """Save what the page shows at a fragment as a small PNG file; `hover` is a selector of what the pointer is at."""
    page.emulate(theme=theme, width=1240, height=height, scale=SCALE)
    page.open(fragment)
    if hover:
        page.hover(hover)
    data = base64.b64decode(page.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"])
    image = (
        Image.open(io.BytesIO(data))
        .convert("RGB")
        .quantize(255, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )
    path = FIGURES / f"explorer-{name}.png"
    image.save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path.name}  {size // 1000} kB")
    if size > LARGEST:
        raise SystemExit(f"{path} has {size:,} bytes, more than {LARGEST:,}; make the picture smaller.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--corpus")
    parser.add_argument("--word", default="rock")
    parser.add_argument("--second-word", default="run")
    options = parser.parse_args()
    corpus = ("--corpus", options.corpus) if options.corpus else ()
    driver = start_browser()
    try:
        with running(options.model, *corpus) as address:
            page = Page(driver, address)
            picture(page, "word", f"#/word/{options.word}", theme="light", height=1290)
            picture(page, "lines", f"#/concordance/{options.second_word}", theme="light", height=820)
            text = TEXT.replace(" ", "+")
            picture(page, "read", f"#/read?text={text}", theme="light", height=780, hover=".text a[data-key='rock#1']")
            picture(page, "map", f"#/map/{options.second_word}", theme="dark", height=880)
    finally:
        driver.quit()


if __name__ == "__main__":
    main()
