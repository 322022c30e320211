"""Who may use /v1: callers with a key; without keys, only this machine itself."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from hashlib import sha256

from unmask.serve.api_error import ApiError
from unmask.serve.origin import near, welcome


class Keys:
    """The keys of a server, kept as hashes only, so that none can be printed, logged or dumped."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._hashes = tuple(sha256(key.encode()).digest() for key in keys if key)

    def __bool__(self) -> bool:
        return bool(self._hashes)

    def __repr__(self) -> str:
        return f"Keys({len(self._hashes)})"

    def admit(self, headers: Mapping[str, str], client: str) -> None:
        """Let a request in, or say in a sentence why not."""
        if not self._hashes:
            if not near(headers, client):
                raise ApiError(403, "this API is off: its owner turns it on by setting UNMASK_API_KEYS", code="api_off")
            if not welcome(headers.get("origin"), headers.get("host", "")):
                raise ApiError(
                    403, "without a key only programs on this machine and its own page may call", code="origin"
                )
            return
        scheme, _, key = headers.get("authorization", "").partition(" ")
        if theirs := headers.get("x-api-key"):  # as Anthropic's clients send it
            scheme, key = "bearer", theirs
        if scheme.lower() != "bearer" or not key:
            why = "send a key in the header 'Authorization: Bearer ...'; one in the address is not read"
            raise ApiError(401, why, code="missing_api_key", headers={"WWW-Authenticate": "Bearer"})
        if not self._holds(key.strip()):
            raise ApiError(401, "this key is not known", code="invalid_api_key", headers={"WWW-Authenticate": "Bearer"})

    def _holds(self, key: str) -> bool:
        digest = sha256(key.encode("utf-8", "surrogateescape")).digest()
        found = False
        for stored in self._hashes:  # every one is compared, so the time says nothing
            found |= hmac.compare_digest(digest, stored)
        return found
