"""Links that sign a person in, once."""

from __future__ import annotations


def link_for(address: str, handle: str) -> str:
    """Return a fresh link to the installation at `address` for somebody there who may sign in."""
    from messaging.actions import sign_in

    return f"{address}/sign-in/{sign_in.new_link(handle)}"


def link_for_owner(address: str) -> str | None:
    """Return a fresh link for the installation's owner; None where it has none who can sign in."""
    from messaging.roster.models import Installation

    owner = Installation.the().owner
    if owner is None or owner.account is None or not owner.account.is_active:
        return None
    return link_for(address, owner.handle.spelled)
