"""Models on the Hugging Face Hub, through the library huggingface_hub. Nothing is downloaded unless a caller asks."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from polyseme.corpus.tokenizers import AnyTokenizer
from polyseme.errors import ConfigError, HubError, MissingExtra, MissingFile, shorten
from polyseme.model import storage
from polyseme.model.data import ModelData

REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+", re.ASCII)  # user/name
LOG_IN = "log in with: hf auth login"


def load_pretrained(
    name_or_path: str | os.PathLike[str],
    *,
    revision: str | None,
    cache_dir: str | os.PathLike[str] | None,
    local_files_only: bool,
    token: str | bool | None,
    tokenizer: AnyTokenizer | Callable[[str], list[str]] | None,
) -> ModelData:
    """See `SenseModel.from_pretrained`."""
    name = os.fspath(name_or_path)
    if os.path.exists(name):  # noqa: PTH110 - Path.exists raises OSError for a name that is too long
        if revision is not None:
            raise ConfigError(f"{name} is a local folder, which has no revision '{shorten(revision)}'; leave it out.")
        return storage.load(Path(name), tokenizer)
    if not REPOSITORY.fullmatch(name):
        raise MissingFile(f"'{shorten(name)}' is neither a folder nor the name of a model on the Hub, user/name.")
    hub = _library()
    with _one_line_errors(name, revision):
        snapshot = hub.snapshot_download(
            name,
            revision=revision,
            cache_dir=cache_dir,
            local_files_only=local_files_only,
            token=token,
            allow_patterns=list(storage.FILES),
            library_name="polyseme",
        )
    # A file of a snapshot is a link to ../../blobs/DIGEST.
    return storage.load(Path(snapshot), tokenizer, blobs=Path(snapshot).parents[1] / "blobs")


def push(
    data: ModelData,
    repo_id: str,
    *,
    private: bool | None,
    token: str | bool | None,
    commit_message: str | None,
    metadata: Mapping[str, Any],
) -> str:
    """See `SenseModel.push_to_hub`."""
    if not REPOSITORY.fullmatch(repo_id):
        raise ConfigError(f"'{shorten(repo_id)}' is not a name on the Hub; give user/name.")
    api = _library().HfApi(token=token, library_name="polyseme")
    with tempfile.TemporaryDirectory() as folder:
        storage.save(data, Path(folder) / "model", metadata=metadata)
        with _one_line_errors(repo_id):
            api.create_repo(repo_id, private=private, exist_ok=True)
            keep_card = not metadata and api.file_exists(repo_id, storage.CARD)
            commit = api.upload_folder(
                repo_id=repo_id,
                folder_path=Path(folder) / "model",
                commit_message=commit_message or "Upload a polyseme model",
                ignore_patterns=[storage.CARD] if keep_card else None,
                delete_patterns=[storage.EXAMPLES, storage.COMPRESSED_EXAMPLES],  # of a model with another dtype
            )
    return str(commit.commit_url)


def _library() -> Any:
    try:
        import huggingface_hub
    except ImportError as error:
        raise MissingExtra("the Hub needs huggingface_hub: pip install 'polyseme[hub]'") from error
    return huggingface_hub


@contextmanager
def _one_line_errors(repo_id: str, revision: str | None = None) -> Iterator[None]:
    """Turn every error of the library, also of the HTTP client that it uses, into a HubError."""
    try:
        yield
    except Exception as error:
        raise HubError(_explain(error, repo_id, revision)) from error


def _explain(error: BaseException, repo_id: str, revision: str | None) -> str:
    from huggingface_hub import errors

    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__ is not None:
        error = error.__cause__  # the reason why the files could not be downloaded
    status = error.response.status_code if isinstance(error, errors.HfHubHTTPError) else None
    if isinstance(error, errors.GatedRepoError):
        return f"{repo_id} is only for users who accepted its terms; accept them on its page, and {LOG_IN}"
    if isinstance(error, errors.RevisionNotFoundError):
        return f"{repo_id} has no revision '{shorten(revision)}'; give a branch, a tag or a commit."
    if isinstance(error, errors.RepositoryNotFoundError):
        return f"{repo_id} is neither a folder nor a model on the Hub that you can read; check the name, or {LOG_IN}"
    if status in (401, 403):
        return f"the Hub gives no permission for {repo_id} (status {status}); {LOG_IN}"
    if isinstance(error, errors.LocalEntryNotFoundError | errors.OfflineModeIsEnabled):
        return f"{repo_id} is not in the cache, and downloads are turned off (local_files_only or HF_HUB_OFFLINE)."
    first_line = str(error).partition("\n")[0]
    return f"{repo_id} failed on the Hub: {shorten(first_line or type(error).__name__, 200)}. Try again later."
