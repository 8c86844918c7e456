"""Outgoing mail: whether its server takes us, and, to an address that is given, a test mail."""

from __future__ import annotations

import smtplib

from collab.cli.checks.line import Line, failed, ok
from collab.environment import LOOPBACK, Environment

WHAT = "mail"
#: Seconds for each step of a conversation in which nothing is sent.
PATIENCE = 5
BODY = "This is a test mail of Earshot at {address}, asked for by whoever runs it. There is nothing to do.\n"


def mail(found: Environment, to: str | None) -> Line:
    """Open a conversation with the mail server and, where an address is given, send a mail there."""
    host = found.email.get("EMAIL_HOST")
    if host is None:
        if to:
            return failed(WHAT, "EMAIL_URL is not set, so no mail is sent: smtp+tls://user:password@host:587")
        return ok(WHAT, "EMAIL_URL is not set: no mail is sent")
    clear = not (found.email["EMAIL_USE_TLS"] or found.email["EMAIL_USE_SSL"])
    if clear and found.email["EMAIL_HOST_PASSWORD"] and host not in LOOPBACK:
        return failed(WHAT, f"EMAIL_URL sends the password to {host} in the clear: use smtp+tls:// or smtps://")
    if found.email["DEFAULT_FROM_EMAIL"].endswith("@localhost") and host not in LOOPBACK:
        return failed(WHAT, "EMAIL_URL names no sender, and earshot@localhost is refused elsewhere: add ?from=ADDRESS")
    try:
        return _converse(found, f"{host}:{found.email['EMAIL_PORT']}", to)
    except (smtplib.SMTPException, OSError) as error:
        return failed(WHAT, f"{host}:{found.email['EMAIL_PORT']} {_why(error)}: see EMAIL_URL")


def _converse(found: Environment, server: str, to: str | None) -> Line:
    from django.core.mail import EmailMessage, get_connection

    if not to:
        with get_connection(timeout=PATIENCE):
            return ok(WHAT, f"{server} takes us; `--mail ADDRESS` sends a test mail")
    with get_connection() as connection:
        text = BODY.format(address=found.address)
        EmailMessage("A test mail of Earshot", text, to=[to], connection=connection).send()
    return ok(WHAT, f"{server} has taken a test mail to {to}; see whether it arrives")


def _why(error: Exception) -> str:
    """What happened, without the server's words: they may repeat what was sent."""
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return f"refuses user or password ({error.smtp_code})"
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = ", ".join(str(code) for code, _ in error.recipients.values())
        return f"refuses the recipient ({codes})"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"refuses with {error.smtp_code}"
    return f"does not answer ({type(error).__name__})"
