"""The OpenAPI description of the API, made from the table of its requests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from polyseme import __version__
from polyseme.explorer.endpoints import Endpoint, objects
from polyseme.explorer.security import TOKEN_HEADER

ERROR_SCHEMA = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {"type": "string"},
        "word": {"type": "string", "description": "the word or sense that is not known"},
        "closest": {"type": "array", "items": {"type": "string"}},
    },
}
ERRORS = {
    400: "A parameter or the body is not valid",
    403: "Host, origin or token is missing or wrong",
    404: "The word or sense is not known, or there is no index",
    408: "The body did not arrive in time",
    409: "A model of this name exists",
    413: "The body or the text is too large",
    503: "Busy: try again after a second if Retry-After says so; or the answer took too long",
}
ONLY_FOR_POST = (408, 409, 413)


def describe(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """The description, in version 3.1 of OpenAPI."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "polyseme explorer",
            "version": __version__,
            "description": "Senses of words in one or two models. Where a command has --json, the "
            "answer is the JSON that it prints. POST needs the token that is in the page, and the page's own origin.",
        },
        "paths": {endpoint.path: {endpoint.method.lower(): _operation(endpoint)} for endpoint in endpoints},
        "components": {
            "schemas": {"Error": ERROR_SCHEMA},
            "securitySchemes": {"token": {"type": "apiKey", "in": "header", "name": TOKEN_HEADER}},
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {
            "name": parameter.name,
            "in": "path" if f"{{{parameter.name}}}" in endpoint.path else "query",
            "required": parameter.default is None,
            "description": parameter.help,
            "schema": parameter.schema,
        }
        for parameter in endpoint.parameters
    ]
    operation: dict[str, Any] = {
        "operationId": endpoint.path.removeprefix("/api/").split("/{")[0].replace("/", "_"),
        "summary": endpoint.summary,
        "responses": {"200": _response("The answer", endpoint.result)}
        | {
            str(status): _response(reason, {"$ref": "#/components/schemas/Error"})
            for status, reason in ERRORS.items()
            if endpoint.body or status not in ONLY_FOR_POST
        },
    }
    if endpoint.body:
        operation["security"] = [{"token": []}]
        fields = objects(**endpoint.body)
        fields["required"] = [name for name in endpoint.body if name not in endpoint.optional]
        fields["additionalProperties"] = False
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": fields}}}
    return operation | ({"parameters": parameters} if parameters else {})


def _response(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}
