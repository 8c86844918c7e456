"""What the pages' forms send, as typed fields. The rules about it are in the actions."""

from __future__ import annotations

from django import forms

from messaging.domain.capability import RANKS


class SignIn(forms.Form):
    """A name and a password."""

    name = forms.CharField(max_length=254)
    password = forms.CharField(max_length=1024, strip=False)
    next = forms.CharField(max_length=2048, required=False)


class Say(forms.Form):
    """A message from the composer where scripts do not run."""

    text = forms.CharField(max_length=65_536, strip=False)
    audience = forms.CharField(max_length=4096)
    client_key = forms.CharField(max_length=128)
    reply_to = forms.UUIDField(required=False)
    delivery = forms.ChoiceField(choices=[("queue", ""), ("steer", "")], required=False)
    dispatch = forms.CharField(max_length=16, required=False)


class Edit(forms.Form):
    """A message's new text, and the revision that it was made from."""

    text = forms.CharField(max_length=65_536, strip=False)
    revision = forms.IntegerField(min_value=1, required=False)


class Delete(forms.Form):
    """Why, where it is not one's own, and whether the answers to it go along."""

    reason = forms.CharField(max_length=500, required=False)
    answers = forms.ChoiceField(choices=[("take_back", "")], required=False)


class Again(forms.Form):
    """The handles of the agents that it was said to go to."""

    agents = forms.CharField(max_length=4096, required=False)


class Hearers(forms.Form):
    """Who may hear a message from now on, and why, and whether the answers to it go along."""

    audience = forms.CharField(max_length=4096)
    reason = forms.CharField(max_length=500)
    revision = forms.IntegerField(min_value=1, required=False)
    answers = forms.ChoiceField(choices=[("take_back", "")], required=False)


class Opening(forms.Form):
    """A new session: what it is called, and the handle of the agent that answers in it."""

    title = forms.CharField(max_length=120, required=False)
    agent = forms.CharField(max_length=64, required=False)


class Fork(forms.Form):
    """What another session is to be called, and the last message that goes along."""

    title = forms.CharField(max_length=120, required=False)
    until = forms.UUIDField(required=False)


class Back(forms.Form):
    """Who hears messages in the session that theirs came from, and why where that is asked for."""

    audience = forms.CharField(max_length=4096)
    reason = forms.CharField(max_length=500, required=False)
    confirm = forms.BooleanField(required=False)


class Member(forms.Form):
    """Somebody of the installation, and a role."""

    handle = forms.CharField(max_length=64)
    role = forms.ChoiceField(choices=[(role, role) for role in RANKS], required=False)


class Invite(forms.Form):
    """A link to make; the action bounds its numbers."""

    role = forms.CharField(max_length=16)
    most = forms.IntegerField()
    hours = forms.IntegerField()


class Settings(forms.Form):
    """What a session is called and set to; the action knows the words."""

    title = forms.CharField(max_length=1024, required=False)
    active_agent = forms.CharField(max_length=64, required=False)
    answers = forms.CharField(max_length=16)
    default_audience = forms.CharField(max_length=16)
    guests_public = forms.BooleanField(required=False)
    namespace = forms.CharField(max_length=32, required=False)
