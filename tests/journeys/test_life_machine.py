"""Anybody does anything, agents die and races are lost: no state contradicts its history, and the wall stands.

Each play is in a transaction that is taken back. Its length and number are small here; `LIFE_PLAYS` asks for more.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.db.models import QuerySet
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from messaging.actions.close_account import close_account, open_account
from messaging.actions.collect import collect
from messaging.actions.configure import configure
from messaging.actions.delete import delete
from messaging.actions.draft import Refusal
from messaging.actions.edit import edit
from messaging.actions.fresh_start import fresh_start
from messaging.actions.manage_members import add_member, change_role, remove_member
from messaging.actions.reclassify import reclassify
from messaging.actions.resend import resend
from messaging.actions.stop import stop
from messaging.actions.supersede import supersede
from messaging.actions.sweep import sweep
from messaging.actions.take import take
from messaging.agents.providers.base import ProviderError
from messaging.domain.audience import AGENT_BOUND
from messaging.mailbox import say
from messaging.mailbox.claim import claim
from messaging.mailbox.lease import LeaseLost
from messaging.mailbox.models import Delivery, Turn
from messaging.roster import known
from messaging.roster.access import Forbidden, Hidden
from tests.cast import agent, person
from tests.journeys.life import MAY, PEOPLE, World, contradictions
from tests.journeys.story import faults, told

pytestmark = pytest.mark.django_db
WHO = st.sampled_from(PEOPLE)
#: Most of what happens begins with a question of somebody who may ask.
ASKERS = st.sampled_from(["alex", "mo", "sam"])
PICK = st.integers(0, 5)
AUDIENCE = st.sampled_from(["participants", "active_agent", "everyone", "participant:sam", "agent:scout"])
#: A play that fails is made shorter only where somebody looks on: that takes minutes.
PHASES = (Phase.generate, *((Phase.shrink,) if "LIFE_SHRINK" in os.environ else ()))
PLAYS = int(os.environ.get("LIFE_PLAYS", "20"))
WAITS = ("queued", "steering_requested")
#: How often each deed was done, in all plays together: one that is refused to everybody breaks no rule of a play.
DONE: Counter[str] = Counter()
DEEDS = ("edit", "delete", "reclassify", "supersede", "resend", "stop", "start_afresh")


def kind(audience: str) -> str:
    return audience.partition(":")[0]


def waits_of(who: str) -> QuerySet[Delivery]:
    """What waits because they put it there; what a moderator brought of theirs waits by the moderator's right."""
    return Delivery.objects.filter(state__in=WAITS, transitions__step=1, transitions__by=who)


class Life(RuleBasedStateMachine):
    """The rules of a play."""

    def __init__(self) -> None:
        super().__init__()
        known.forget()
        self.play = transaction.atomic()
        self.play.__enter__()
        self.world = World()
        self.may = dict(MAY)
        # Not from nothing: a question was answered, and another one is being answered while somebody waits.
        self.ask("alex")
        self.work()
        for who in ("sam", "mo"):
            self.ask(who)
        self.claim()

    def teardown(self) -> None:
        try:
            self.come_to_an_end()
        finally:
            transaction.set_rollback(True)
            self.play.__exit__(None, None, None)
            known.forget()

    # What is picked, and what became of it.

    def pick(self, n: int) -> UUID | None:
        keys = list(self.world.said)
        return keys[-1 - n % min(len(keys), 6)] if keys else None

    def do(self, who: str, wanted: str, deed: Callable[[], Any], *, owner: str = "") -> Any:
        """Does it; None where it was refused. Rights are as the table says, whatever else stands in the way."""
        role = self.world.roles.get(who)
        # The author's own, where only that may be done; else anybody's.
        may = role is not None and bool(
            self.may[role] & {wanted, f"{wanted} all", f"{wanted} own" if owner == who else wanted}
        )
        try:
            with transaction.atomic():
                result = deed()
        except Hidden:
            return None
        except Forbidden:
            assert not may, f"{role} was refused {wanted}"
            return None
        except Refusal as refusal:
            assert not (may and refusal.status == 403), f"{role} was refused {wanted}: {refusal.detail}"
            return None
        assert may, f"{role} was allowed {wanted}"
        return result

    # People.

    @rule(who=WHO, audience=AUDIENCE)
    def post(self, who: str, audience: str) -> None:
        self._say(who, audience, **({"dispatch": "future_turn"} if audience == "agent:scout" else {}))

    @rule(who=ASKERS)
    def ask(self, who: str) -> None:
        self._say(who, "active_agent")

    @rule(who=WHO)
    def steer(self, who: str) -> None:
        self._say(who, "active_agent", wanted="steer", delivery="steer")

    def _say(self, who: str, audience: str, wanted: str = "", **more: str) -> None:
        text = self.world.token()
        found = self.do(who, wanted or kind(audience), lambda: self.world.room.say(who, text, audience, **more))
        if found is not None:
            self.world.note(UUID(found.id), who, kind(audience), text)

    @rule(who=WHO, n=PICK)
    def reply(self, who: str, n: int) -> None:
        parent, text = self.pick(n), self.world.token()
        if parent is None or self.world.said[parent].author in ("mirror", "scout"):
            return
        wanted = self.world.said[parent].audience
        found = self.do(who, wanted, lambda: self.world.room.say(who, text, None, reply_to=parent))
        if found is not None:
            assert found.audience_kind == wanted
            self.world.note(UUID(found.id), who, wanted, text)

    @rule(n=PICK, anybody=st.booleans(), who=WHO)
    def edit(self, n: int, anybody: bool, who: str) -> None:
        message = self.pick(n)
        if message is None:
            return
        one, text = self.world.said[message], self.world.token()
        waits = {row.seat_id for row in Delivery.objects.filter(message=message, state__in=WAITS)}
        who = who if anybody or one.author not in PEOPLE else one.author
        own = one.author == who and not one.deleted and one.audience in self.may.get(self.world.roles.get(who, ""), ())
        try:
            with transaction.atomic():
                found = edit(person(who), message, text)
        except (Refusal, Forbidden, Hidden) as refused:
            status = 403 if isinstance(refused, Forbidden) else getattr(refused, "status", 404)
            assert not (own and status == 403), f"{who} may say it, and was refused an edit of their own"
            return
        DONE["edit"] += 1
        assert one.author == who
        assert not one.deleted
        assert found.audience_kind == one.audience, "an edit changed who hears it"
        self.world.note(message, who, one.audience, text)
        assert {row.seat_id for row in Delivery.objects.filter(message=message, state__in=WAITS, text=text)} == waits

    @rule(who=WHO, n=PICK)
    def delete(self, who: str, n: int) -> None:
        message = self.pick(n)
        if message is None:
            return
        one = self.world.said[message]
        if one.audience == "participant" and one.author != who:
            with pytest.raises((Forbidden, Hidden)), transaction.atomic():
                delete(person(who), message, "a reason")
            return
        found = self.do(who, "delete", lambda: delete(person(who), message, "a reason"), owner=one.author)
        if found is not None:
            DONE["delete"] += 1
            assert found.text == ""
            self.world.delete(message)

    @precondition(lambda self: any(one.message in self.world.said for one in self.world.told))
    @rule(n=PICK)
    def take_back_what_was_told(self, n: int) -> None:
        told_ones = [one.message for one in self.world.told if one.message in self.world.said]
        one = self.world.said[told_ones[-1 - n % len(told_ones)]]
        found = self.do(one.author, "delete", lambda: delete(person(one.author), one.id), owner=one.author)
        if found is not None:
            self.world.delete(one.id)

    @rule(who=WHO, n=PICK, audience=AUDIENCE, confirm=st.booleans())
    def reclassify(self, who: str, n: int, audience: str, confirm: bool) -> None:
        message = self.pick(n)
        if message is None:
            return
        one = self.world.said[message]
        before, dispatch = one.audience, "future_turn" if audience == "agent:scout" else ""
        may_say = kind(audience) in self.may.get(self.world.roles.get(who, ""), ())
        try:
            with transaction.atomic():
                found = reclassify(person(who), message, audience, "a reason", confirm=confirm, dispatch=dispatch)
        except (Refusal, Forbidden, Hidden):
            return
        DONE["reclassify"] += 1
        role = self.world.roles[who]
        assert "reclassify all" in MAY[role] or ("reclassify own" in MAY[role] and one.author == who)
        assert may_say
        assert not one.deleted
        assert before != "participant" or one.author == who
        assert confirm or kind(audience) not in AGENT_BOUND
        assert found.audience_kind == kind(audience)
        self.world.readdress(message, kind(audience))

    @rule(who=WHO, n=PICK)
    def supersede(self, who: str, n: int) -> None:
        message = self.pick(n)
        if message is None:
            return
        waits = Delivery.objects.filter(message=message, state__in=WAITS).exists()
        one = self.world.said[message]
        found = self.do(who, "supersede", lambda: supersede(person(who), message), owner=one.author)
        if found is not None:
            DONE["supersede"] += 1
            assert waits, "nothing waited, and something was withdrawn"

    @rule(n=PICK)
    def resend(self, n: int) -> None:
        message = self.pick(n)
        if message is None or self.world.said[message].author not in PEOPLE:
            return
        one = self.world.said[message]
        before = Delivery.objects.filter(message=message).count()
        found = self.do(one.author, one.audience, lambda: resend(person(one.author), message))
        if found is not None:
            DONE["resend"] += 1
            assert not one.deleted
            assert Delivery.objects.filter(message=message).count() > before
            self.world.readdress(message, one.audience)

    @rule(who=WHO, scope=st.sampled_from([None, "own", "session"]))
    def stop(self, who: str, scope: str | None) -> None:
        others = set(
            Delivery.objects.filter(state="queued", purpose="input").exclude(author=who).values_list("id", flat=True)
        )
        try:
            with transaction.atomic():
                DONE["stop"] += stop(person(who), self.world.room.session, scope)
        except (Forbidden, Hidden):
            return
        if scope != "session":
            gone = Delivery.objects.filter(id__in=others, state="superseded")
            assert not gone.exists(), "somebody else's question was taken back"

    @rule(who=WHO, n=PICK)
    def start_afresh(self, who: str, n: int) -> None:
        if n:
            # Seldom: whoever starts afresh has little to be told of what was taken back.
            return
        try:
            with transaction.atomic():
                fresh_start(person(who), self.world.room.session)
            DONE["start_afresh"] += 1
        except (Refusal, Forbidden, Hidden):
            pass

    # The agents' process.

    @rule()
    def work(self) -> None:
        """As it mostly goes: a question is taken, answered, and the house hears of it."""
        if self.world.running is None:
            self.claim()
        if self.world.running is not None:
            self.model_step(None)
        collect(self.world.session)

    @rule(who=ASKERS)
    def ask_and_work(self, who: str) -> None:
        self.ask(who)
        self.work()

    @precondition(lambda self: self.world.running is not None)
    @rule(who=ASKERS, then=st.sampled_from(["fail", "stop", "kill", "step"]))
    def steer_and_then(self, who: str, then: str) -> None:
        """What a steer meets: its turn's end by failure, by somebody's stop, by death; or its next step."""
        self._say(who, "active_agent", wanted="steer", delivery="steer")
        if then == "stop":
            self.stop("mo", None)
        elif then == "kill":
            self.kill()
        else:
            self.model_step("provider_auth" if then == "fail" else None)

    @rule()
    def claim(self) -> None:
        found = claim(self.world.room.seat("mirror").id)
        if found is not None:
            self.world.stale += [self.world.running] if self.world.running else []
            self.world.running = found

    @precondition(lambda self: self.world.running is not None)
    @rule(fails=st.sampled_from([None, None, None, "provider_auth", "provider_busy"]))
    def model_step(self, fails: str | None) -> None:
        running = self.world.running
        assert running is not None
        try:
            with transaction.atomic():
                request = self.world.request(running)
            assert request.asked is not None
            goes_on = say.answer(running, self.world.token()) if fails is None else bool(say.fail(running, fails))
        except LeaseLost:
            goes_on = False
        except ProviderError as withheld:
            assert withheld.reason == "withheld"
            with transaction.atomic():
                goes_on = self._lost(lambda: bool(say.fail(running, "withheld")))
        if not goes_on or fails:
            self.world.running = None

    def _lost(self, deed: Callable[[], bool]) -> bool:
        try:
            return deed()
        except LeaseLost:
            return False

    @rule()
    def kill(self) -> None:
        """The process dies, and time goes by."""
        self.world.stale += [self.world.running] if self.world.running else []
        self.world.running = None
        self.world.time_passes()

    @precondition(lambda self: self.world.running is not None)
    @rule()
    def taken_over(self) -> None:
        """The process was only slow: another one has the turn when it speaks again."""
        self.kill()
        self.claim()
        self.a_dead_attempt_speaks(0)

    @precondition(lambda self: self.world.stale)
    @rule(n=PICK)
    def a_dead_attempt_speaks(self, n: int) -> None:
        stale = self.world.stale[n % len(self.world.stale)]
        with pytest.raises(LeaseLost), transaction.atomic():
            say.answer(stale, "from the dead")

    # A connected agent.

    @rule(most=st.integers(0, 3))
    def scout_takes(self, most: int) -> None:
        before = set(self._scouts().values_list("id", flat=True))
        take(agent("scout"), self.world.room.session, most)
        for row in self._scouts().exclude(id__in=before):
            self.world.tell(row.seat_id, row.message, row.text)

    def _scouts(self) -> Any:
        return Delivery.objects.filter(seat__handle="scout", delivered_at__isnull=False)

    @rule(n=PICK)
    def scout_answers(self, n: int) -> None:
        shown = list(self._scouts().filter(withheld_at=None).order_by("place"))
        if not shown:
            return
        parent = shown[-1 - n % len(shown)]
        try:
            with transaction.atomic():
                self.world.room.say(agent("scout"), self.world.token(), None, reply_to=parent.message)
        except Refusal:
            pass

    # The house, and who is in it.

    @rule()
    def collect(self) -> None:
        collect(self.world.session)

    @rule()
    def sweep(self) -> None:
        sweep()

    @rule(who=st.sampled_from(["sam", "vic", "gus"]), role=st.sampled_from(["moderator", "member", "viewer", "guest"]))
    def change_role(self, who: str, role: str) -> None:
        if who in self.world.roles:
            change_role(person("alex"), self.world.room.session, who, role)
            self.world.roles[who] = role

    @rule(who=st.sampled_from(["sam", "vic"]))
    def come_or_go(self, who: str) -> None:
        if self.world.roles.pop(who, None):
            remove_member(person("mo"), self.world.room.session, who)
            assert not waits_of(who).exists()
        else:
            add_member(person("mo"), self.world.room.session, who, "member")
            self.world.roles[who] = "member"

    @rule()
    def an_account_closes_and_opens(self) -> None:
        close_account(None, "sam")
        assert not waits_of("sam").exists()
        open_account(None, "sam")

    @rule(may_ask=st.booleans())
    def members_may_ask(self, may_ask: bool) -> None:
        """The session's own list for members, with and without the right to ask the agent."""
        words = ["post_human", "dispatch_agent", "direct_message", "steer", "stop", "supersede", "reclassify", "export"]
        configure(person("alex"), self.world.room.session, roles=None if may_ask else {"member": words})
        self.may["member"] = MAY["member"] if may_ask else MAY["member"] - {"active_agent", "everyone", "steer"}
        for who in [] if may_ask else self._members():
            assert not waits_of(who).filter(audience__in=["active_agent", "everyone"]).exists()

    def _members(self) -> list[str]:
        return [who for who, role in self.world.roles.items() if role == "member"]

    # At any moment.

    @invariant()
    def nothing_contradicts(self) -> None:
        assert list(contradictions(self.world)) == []

    def come_to_an_end(self) -> None:
        """All that runs is answered, and the whole story is a legal one. A message that was sent again has two answers."""
        seat = self.world.room.seat("mirror").id
        waits = Delivery.objects.filter(seat=seat, purpose="input", state__in=WAITS)
        ends = Turn.objects.filter(seat=seat, state="running")
        for _ in range(50):
            if not (waits.exists() or ends.exists()):
                break
            self.world.time_passes()
            collect(self.world.session)
            self.world.running = claim(seat)
            while self.world.running is not None:
                self.model_step(None)
        collect(self.world.session)
        assert not waits.exists()
        assert list(contradictions(self.world)) == []
        assert [fault for fault in faults(told(seat)) if "messages answer" not in fault] == []


def test_no_play_contradicts_itself():
    DONE.clear()
    run_state_machine_as_test(
        Life,
        settings=settings(
            max_examples=PLAYS, stateful_step_count=50, deadline=None, derandomize="LIFE_PLAYS" not in os.environ,
            database=None, suppress_health_check=list(HealthCheck), phases=PHASES,
        ),
    )  # fmt: skip
    assert [deed for deed in DEEDS if not DONE[deed]] == [], "no play ever saw these done"
