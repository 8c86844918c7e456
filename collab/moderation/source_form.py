"""What a source of tools is, as a form: each setting by its own name, checked by the rules that the agents go by."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from unfold import widgets

from messaging.domain.source import CALL_SECONDS, Transport
from messaging.mailbox.models import Source

TRANSPORTS = [
    (Transport.STDIO, "a program, started where the agents run"),
    (Transport.HTTP, "a server, by Streamable HTTP"),
    (Transport.FOLDER, "a folder, to be listed and read"),
]
FIELDSETS = [
    (None, {"fields": ["name", "transport", "enabled"]}),
    ("A program", {"fields": ["command", "env"]}),
    ("A server", {"fields": ["url", "key_env", "key_file", "no_key"]}),
    ("A program or a server", {"fields": ["timeout"]}),
    ("A folder", {"fields": ["path"]}),
]
_PLAIN = ("url", "key_env", "key_file", "path", "timeout")


def _text(label: str, words: str, most: int = 1000) -> forms.CharField:
    widget = widgets.UnfoldAdminTextInputWidget()
    return forms.CharField(label=label, help_text=words, required=False, max_length=most, widget=widget)


class SourceForm(forms.Form):
    """One source, new or as it stands. Name and transport are for life."""

    name = _text("Name", "for life: small letters and digits, with _ between; its tools are called name__tool", 32)
    transport = forms.ChoiceField(label="What it is", choices=TRANSPORTS, widget=widgets.UnfoldAdminSelectWidget())
    enabled = forms.BooleanField(label="In use", required=False, widget=widgets.UnfoldBooleanSwitchWidget())
    command = forms.CharField(
        label="Command",
        required=False,
        max_length=20_000,
        strip=False,
        help_text="each word on a line of its own: the program by its whole path or a name on PATH, then what it is "
        "given. No secrets: they stand in the database. It runs as the same user as the agents do.",
        widget=widgets.UnfoldAdminTextareaWidget(),
    )
    env = _text("Variables", "names of those of the agents' environment that it gets, with commas between", 4000)
    url = _text("Address", "to which messages are sent, as in https://example.org/mcp")
    key_env = _text("Variable of the key", "its name, in the environment of the agents, which ends in _API_KEY", 200)
    key_file = _text("File of the key", "or the whole path of a file of mode 0600, its name ending in _api_key", 400)
    no_key = forms.BooleanField(
        label="The server wants no key", required=False, widget=widgets.UnfoldBooleanSwitchWidget()
    )
    timeout = forms.FloatField(
        label="Seconds of a call",
        required=False,
        help_text=f"at most; {CALL_SECONDS:.0f} if left empty",
        widget=widgets.UnfoldAdminDecimalFieldWidget(attrs={"step": "any"}),
    )
    path = _text("Folder", "its whole path; nothing hidden in it is shown, and no link followed")

    def __init__(self, data: Any = None, *, source: Source | None = None) -> None:
        super().__init__(data, initial=_initial(source))
        self.fields["name"].required = source is None
        if source is not None:
            self.fields["name"].disabled = self.fields["transport"].disabled = True

    @property
    def settings(self) -> dict[str, Any]:
        """Those that were filled in. Call it once the form is valid."""
        given = self.cleaned_data
        found = {name: given[name] for name in _PLAIN if given[name] not in (None, "")}
        if words := [line.rstrip("\r") for line in given["command"].strip("\r\n").split("\n") if line.rstrip("\r")]:
            found["command"] = words
        if names := [one.strip() for one in given["env"].split(",") if one.strip()]:
            found["env"] = names
        return found | ({"no_key": True} if given["no_key"] else {})

    def refuse(self, error: ValidationError) -> None:
        """Puts what a verb would not take beside the fields that it names."""
        for field, complaints in error.message_dict.items():
            name = field.removeprefix("settings.")
            for words in complaints:
                self.add_error(name if name in self.fields else None, f"{words[:1].upper()}{words[1:]}.")


def _initial(source: Source | None) -> dict[str, Any]:
    if source is None:
        return {"transport": Transport.STDIO, "enabled": True}
    kept = {name: source.settings[name] for name in (*_PLAIN, "no_key") if name in source.settings}
    return kept | {
        "name": source.name,
        "transport": source.transport,
        "enabled": source.enabled,
        "command": "\n".join(source.settings.get("command", [])),
        "env": ", ".join(source.settings.get("env", [])),
    }
