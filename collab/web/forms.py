"""What the pages' forms send, as typed fields. The rules about it are in the actions."""

from __future__ import annotations

from django import forms


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
