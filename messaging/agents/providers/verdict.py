"""From what the client libraries raise to one of our own reasons. Nothing a provider wrote is kept."""

from __future__ import annotations

from pydantic_ai import exceptions

from messaging.agents.providers.base import ProviderError

#: The first that fits counts, so a special kind stands before its general one.
_KINDS: tuple[tuple[type[Exception], str], ...] = (
    (exceptions.ModelQuotaExceededError, "provider_quota"),
    (exceptions.ModelRateLimitError, "provider_busy"),
    (exceptions.ModelUnavailableError, "provider_busy"),
    (exceptions.ModelServerError, "provider_error"),
    (exceptions.ModelTimeoutError, "provider_timeout"),
    (exceptions.ModelRequestTimeout, "provider_timeout"),
    (exceptions.ModelContextWindowExceededError, "context_too_long"),
    (exceptions.ModelAuthenticationError, "provider_auth"),
    (exceptions.ModelNotFoundError, "provider_unknown_model"),
    (exceptions.ModelRequestRejectedError, "provider_refused"),
    (exceptions.ContentFilterError, "provider_refused"),
    (exceptions.UserError, "bad_settings"),
)
_TRY_AGAIN_STATUSES = frozenset({408, 409, 425})
_SERVER_FAULT = 500
_REDIRECTS = range(300, 400)


def of(error: Exception) -> ProviderError:
    """The verdict on a failed request. What is none of the known kinds was not the protocol."""
    if isinstance(error, ProviderError):
        return error
    wait = getattr(error, "retry_after", None)
    return ProviderError(_reason(error), wait if isinstance(wait, int | float) and wait > 0 else None)


def _reason(error: Exception) -> str:
    if getattr(error.__cause__, "status_code", 0) in _REDIRECTS:
        # The libraries take a redirect that is not followed for a fault of the server, which would pass.
        return "provider_refused"
    if isinstance(error, exceptions.ModelHTTPError) and error.status_code in _TRY_AGAIN_STATUSES:
        return "provider_error"
    for kind, code in _KINDS:
        if isinstance(error, kind):
            return code
    if isinstance(error, exceptions.ModelConnectionError):
        return "provider_unreachable" if error.phase in ("connect", "pool") else "provider_cut"
    return _otherwise(error)


def _otherwise(error: Exception) -> str:
    if isinstance(error, exceptions.ModelHTTPError):
        return "provider_error" if error.status_code >= _SERVER_FAULT else "provider_refused"
    if isinstance(error, exceptions.ModelAPIError) and error.in_stream:
        return "provider_error"
    return "provider_nonsense"
