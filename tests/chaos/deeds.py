"""Ways to lose access, each answering with the second in which it was committed, by PostgreSQL's own clock."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

import httpx

from tests.chaos.cast import Cast, Person
from tests.chaos.fleet import Fleet


@dataclass(frozen=True)
class Browser:
    """Somebody who came in by a sign-in link, with the cookie that they got for it."""

    handle: str
    address: str
    cookie: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Cookie": f"earshot_session={self.cookie}"}


def signed_in(fleet: Fleet, handle: str) -> Browser:
    code = fleet.installation.manage(
        "shell", "-c", f"from messaging.actions.sign_in import new_link; print(new_link('{handle}'))"
    )
    address = fleet.addresses[0]
    with httpx.Client(base_url=address) as browser:
        link = f"/sign-in/{code.split()[-1]}"
        browser.get(link)
        form = {"csrfmiddlewaretoken": browser.cookies["earshot_csrf"]}
        browser.post(link, data=form, headers={"Referer": address})
        return Browser(handle, address, browser.cookies["earshot_session"])


def committed(fleet: Fleet, table: str, where: str) -> float:
    """When the row was last written, in seconds; none of the deeds here writes it twice."""
    [[at]] = fleet.sql(f"SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin)) FROM {table} WHERE {where}")
    return float(at)


def write(fleet: Fleet, table: str, change: str, where: str) -> float:
    """Changes a row behind the back of every process, as an operator with psql would."""
    fleet.postgres.sql(f"UPDATE {table} SET {change} WHERE {where}", "chaos")
    return committed(fleet, table, where)


def removed(fleet: Fleet, known: Cast, victim: Person) -> float:
    with httpx.Client(base_url=f"{fleet.addresses[0]}/api/v1", headers=known.owner.headers, timeout=10) as http:
        assert http.delete(f"/sessions/{known.sessions[0]}/members/{victim.handle}").status_code == 204
    who = f"person_id = (SELECT id FROM roster_person WHERE handle_id = '{victim.handle}')"
    return committed(fleet, "roster_membership", f"session_id = '{known.sessions[0]}' AND {who}")


def disabled(fleet: Fleet, known: Cast, victim: Person) -> float:
    return write(fleet, "roster_account", "is_active = false", f"username = '{victim.handle}'")


def revoked(fleet: Fleet, known: Cast, victim: Person) -> float:
    who = f"(SELECT id FROM roster_person WHERE handle_id = '{victim.handle}')"
    return write(fleet, "roster_token", "revoked_at = now()", f"person_id = {who}")


def signed_out(fleet: Fleet, known: Cast, victim: Browser) -> float:
    page = httpx.get(f"{victim.address}/", headers=victim.headers, follow_redirects=True)
    [token] = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[:1])
    headers = victim.headers | {"Cookie": f"{victim.headers['Cookie']}; earshot_csrf={page.cookies['earshot_csrf']}"}
    answer = httpx.post(f"{victim.address}/sign-out/", data={"csrfmiddlewaretoken": token}, headers=headers)
    assert answer.status_code in (200, 302)
    # The row is gone, and with it the time of its end; the answer comes right after.
    return time.time()


def expired(fleet: Fleet, known: Cast, victim: Browser) -> float:
    """The login ends by time, shortly after this; nothing is written then."""
    write(fleet, "django_session", "expire_date = now() + interval '0.3 second'", f"session_key = '{victim.cookie}'")
    [[at]] = fleet.sql(
        f"SELECT extract(epoch FROM expire_date) FROM django_session WHERE session_key = '{victim.cookie}'"
    )
    return float(at)


def closed(fleet: Fleet, known: Cast, victim: Person) -> float:
    return write(fleet, "roster_session", "closed_at = now()", f"id = '{known.sessions[0]}'")
