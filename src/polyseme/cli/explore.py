"""`polyseme explore MODEL [MODEL2]`"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from polyseme.cli.arguments import SWITCH, FieldOption, ModelPath, QuietFlag, ReaderOption, between
from polyseme.cli.signals import Signals
from polyseme.errors import ConfigError, MissingExtra

if TYPE_CHECKING:
    from polyseme.explorer.models import Session
    from polyseme.explorer.security import Access

MAX_PORT = 65535
# Requests are answered by several threads. If each product of matrices used all cores, they would wait for each other:
# with 50 clients on a busy machine with two cores, the median time of an answer was then five times as long or more.
BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def explore(
    model: ModelPath,
    model2: Annotated[str | None, Parameter(help="A second model, to compare.")] = None,
    /,
    *,
    corpus: Annotated[
        list[str] | None,
        Parameter(
            consume_multiple=True,
            negative="",
            help="Texts, or an encoded corpus, to index once for MODEL: shows collocates and all occurrences of a "
            "sense. The index is the folder MODEL.index.",
        ),
    ] = None,
    reader: ReaderOption = None,
    field: FieldOption = None,
    host: Annotated[str, Parameter(help="Address to listen on. 0.0.0.0 lets other machines connect.")] = ("127.0.0.1"),
    port: Annotated[int, between(0, MAX_PORT), Parameter(help="Port to listen on; 0 for any free port.")] = 0,
    password: Annotated[
        str | None,
        Parameter(help="Ask everyone who connects for this password. Without it, other hosts need a printed token."),
    ] = None,
    no_browser: Annotated[bool, SWITCH, Parameter(help="Do not open a browser.")] = False,
    export: Annotated[
        Path | None, Parameter(help="Write a page without a server to this HTML file, and exit. Needs --words.")
    ] = None,
    words: Annotated[str | None, Parameter(help="The words of the exported page, such as bank,plant.")] = None,
    force: Annotated[bool, SWITCH, Parameter(help="Overwrite the file of --export.")] = False,
    quiet: QuietFlag = False,
) -> None:
    """Show the senses of a model in a web page on this machine."""
    if (export is None) != (words is None):
        raise ConfigError("--export and --words need each other: --export page.html --words bank,plant")
    if corpus is None and (reader is not None or field is not None):
        raise ConfigError("--reader and --field are for --corpus; give a text with --corpus.")
    if password == "":
        raise ConfigError("--password is empty; give one, or leave it out.")
    for name in BLAS_THREADS:  # before NumPy is imported
        os.environ.setdefault(name, "1")
    with Signals() as signals:
        _check_libraries()
        from polyseme.explorer.opening import open_session
        from polyseme.explorer.server import address as address_of
        from polyseme.explorer.server import listen, make_access, open_browser, serve

        listener = None if export is not None else listen(host, port)  # before an index is built: it may be in use
        try:
            models = [model] if model2 is None else [model, model2]
            session = open_session(models, corpus, reader, field, quiet=quiet, check=signals.check)
            if listener is None:
                assert export is not None
                assert words is not None
                _export(session, export, words, force, signals.check)
                return
            access = make_access(host, listener.getsockname()[1], password or "")

            def ready() -> None:
                _announce(access)
                if not no_browser:
                    open_browser(address_of(access))

            signals.check()
            serve(session, access, listener, ready, signals.stop)
        finally:
            if listener is not None:
                listener.close()
        signals.check()


def _check_libraries() -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingExtra(f"the explorer needs {error.name}: pip install 'polyseme[explore]'") from error


def _announce(access: Access) -> None:
    """Say where the page is, and who can see it."""
    from polyseme.explorer.security import is_loopback
    from polyseme.explorer.server import address

    if not is_loopback(access.host):
        how = "with the password" if access.password else "with the token in the address below"
        print(
            f"polyseme: --host {access.host} lets other machines connect. Everyone who can reach this one can see the "
            f"models and texts and save models, {how}. The connection is not encrypted.",
            file=sys.stderr,
        )
    print(f"explorer  {address(access)}  (stop with Ctrl-C)", file=sys.stderr, flush=True)


def _export(session: Session, path: Path, words: str, force: bool, check: Callable[[], None]) -> None:
    from polyseme.explorer.export import export_page

    names = [word.strip() for word in words.split(",") if word.strip()]
    export_page(session, names, path, force=force, check=check)
    print(f"saved     {path}", file=sys.stderr)
