"""What an agent is, as a form: each setting by its own name, checked by the rules that the agents' process goes by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from unfold import widgets

from messaging.domain.dispatch import OFFERS, Mode
from messaging.domain.provider import LONGEST_PAUSE
from messaging.mailbox import served
from messaging.mailbox.models import Source
from messaging.roster.models import Agent, Person

_HOSTED = Agent.Kind.HOSTED
PROVIDERS = [
    ("", "none: it runs elsewhere"),
    ("openai", "OpenAI's chat completions, and all that speak them"),
    ("anthropic", "Anthropic's messages"),
    ("mirror", "mirror: repeats what reached it"),
]
MODES = [
    (Mode.CONSULT, "asked by the active agent, which goes on with the answer"),
    (Mode.FUTURE_TURN, "a turn of its own"),
    (Mode.CHILD_SESSION, "a side session"),
    (Mode.ADVISOR, "one short look, within another's turn"),
]


def _text(label: str, words: str = "", most: int = 400) -> forms.CharField:
    widget = widgets.UnfoldAdminTextInputWidget()
    return forms.CharField(label=label, help_text=words, required=False, max_length=most, widget=widget)


def _whole(label: str, words: str = "") -> forms.IntegerField:
    widget = widgets.UnfoldAdminIntegerFieldWidget()
    return forms.IntegerField(label=label, help_text=words, required=False, widget=widget)


def _number(label: str, words: str = "") -> forms.FloatField:
    widget = widgets.UnfoldAdminDecimalFieldWidget(attrs={"step": "any"})
    return forms.FloatField(label=label, help_text=words, required=False, widget=widget)


#: The settings that have a field each, by their names; any other stays as it was kept.
_SETTINGS: Mapping[str, Callable[[], forms.Field]] = {
    "model": lambda: _text("Model", "its name at its server"),
    "base_url": lambda: _text("Address of the server", "left empty: the provider's own service"),
    "key_env": lambda: _text(
        "Variable of the key",
        "its name, in the environment of the agents, which ends in _API_KEY; the key itself is never kept here",
    ),
    "key_file": lambda: _text(
        "File of the key",
        "or the whole path of a file of mode 0600, its name ending in _api_key, which the agents' process alone reads",
    ),
    "key_ring": lambda: _text(
        "Entry of the keyring", "or its name there, which ends in _api_key: `earshot key set` puts it there", 64
    ),
    "context_tokens": lambda: _whole("Tokens of conversation", "what a request holds at most"),
    "context_bytes": lambda: _whole("Bytes of conversation", "the same in bytes"),
    "max_tokens": lambda: _whole("Tokens of an answer"),
    "timeout": lambda: _number("Seconds of silence", "after which an attempt is given up; 120"),
    "deadline": lambda: _number("Seconds in all", "that an attempt may last; 600"),
    "price_in": lambda: _number("Price, tokens given", "of a million of them; for this page alone"),
    "price_out": lambda: _number("Price, tokens answered"),
    "pause": lambda: _number("Pause of the mirror", f"in seconds, up to {LONGEST_PAUSE:.0f}"),
}
FIELDSETS = [
    (None, {"fields": ["handle", "name", "kind", "owner"]}),
    (
        "Model",
        {"fields": ["provider", "model", "base_url", "key_env", "key_file", "key_ring", "no_key", "instructions"]},
    ),
    (
        "Bounds of a request",
        {"fields": ["context_tokens", "context_bytes", "max_tokens", "timeout", "deadline", "pause"]},
    ),
    ("What it may do", {"fields": ["modes", "namespaces", "tools", "sources"]}),
    ("Where it is run", {"fields": ["placement"]}),
    ("A day's budget", {"fields": ["turns_a_day", "tokens_a_day", "price_in", "price_out"]}),
]


class AgentForm(forms.Form):
    """One agent, new or as it stands. Handle and kind are for life."""

    handle = _text("Handle", "for life: letters, digits, _ and -", 64)
    name = _text("Name", "what people see; the handle if left empty", 80)
    kind = forms.ChoiceField(
        choices=[(_HOSTED, "hosted: run by Earshot"), (Agent.Kind.CONNECTED, "connected: runs elsewhere")],
        widget=widgets.UnfoldAdminSelectWidget(),
    )
    owner = forms.ModelChoiceField(
        queryset=Person.objects.none(),
        required=False,
        help_text="whose budget it uses",
        widget=widgets.UnfoldAdminSelectWidget(),
    )
    provider = forms.ChoiceField(choices=PROVIDERS, required=False, widget=widgets.UnfoldAdminSelectWidget())
    no_key = forms.BooleanField(
        label="The server wants no key", required=False, widget=widgets.UnfoldBooleanSwitchWidget()
    )
    instructions = forms.CharField(
        label="System prompt", required=False, max_length=32_000, widget=widgets.UnfoldAdminTextareaWidget()
    )
    modes = forms.MultipleChoiceField(
        label="Ways to be called by name",
        choices=MODES,
        required=False,
        widget=widgets.UnfoldAdminCheckboxSelectMultipleWidget(),
        help_text="all of them: no narrower rule. One that runs elsewhere takes a turn of its own alone.",
    )
    namespaces = _text("Namespaces", "of the sessions it works in, with commas between; empty: any")
    tools = _text(
        "Tools",
        "each with allowed, ask, denied or owner, with commas between: recall: allowed, peers: allowed; of a source "
        "notes__read: allowed, or notes__*: ask for all of it",
    )
    sources = forms.MultipleChoiceField(
        label="Sources",
        required=False,
        widget=widgets.UnfoldAdminCheckboxSelectMultipleWidget(),
        help_text="that it gets tools from, where the session grants them, too",
    )
    placement = forms.ChoiceField(
        required=False,
        widget=widgets.UnfoldAdminSelectWidget(),
        help_text="the queue of the fleet that serves it: earshot agents --placement",
    )
    turns_a_day = _whole("Turns a day", "of its owner, before it takes no more; empty: as many as come")
    tokens_a_day = _whole("Tokens a day", "of its owner, given and answered; empty: as many as come")

    def __init__(self, data: Any = None, *, agent: Agent | None = None, owner: Person | None = None) -> None:
        super().__init__(data, initial=_initial(agent, owner))
        self._agent = agent
        self.fields |= {name: make() for name, make in _SETTINGS.items()}
        people: Any = self.fields["owner"]
        people.queryset = Person.objects.select_related("handle").order_by("handle__spelled")
        self._offer("sources", [(name, name) for name in _sources(agent)])
        self._offer("placement", [("", "any that has no placement"), *((one, one) for one in _placements(agent))])
        self.fields["handle"].required = agent is None
        if agent is not None:
            self.fields["handle"].disabled = self.fields["kind"].disabled = True
            # What is for tests alone is not offered, and kept where it is.
            if agent.provider not in dict(PROVIDERS):
                self.fields["provider"].choices = [*PROVIDERS, (agent.provider, agent.provider)]  # type: ignore[attr-defined]

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        """Has a field only where there is something to choose, beside nothing."""
        if any(value for value, _ in choices):
            self.fields[name].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields[name]

    @property
    def fieldsets(self) -> list[tuple[str | None, dict[str, list[str]]]]:
        """Its fields in groups, of those that it has."""
        found = [
            (title, {"fields": [one for one in group["fields"] if one in self.fields]}) for title, group in FIELDSETS
        ]
        return [(title, group) for title, group in found if group["fields"]]

    @property
    def wanted(self) -> dict[str, Any]:
        """What the agent is to be, by the names that actions take. Call it once the form is valid."""
        given = self.cleaned_data
        modes, namespaces = set(given["modes"]), [one.strip() for one in given["namespaces"].split(",")]
        every = {str(mode) for mode in OFFERS[given["kind"]]}
        return {
            "name": given["name"].strip() or given["handle"],
            "provider": given["provider"],
            "settings": self._settings(),
            "owner": given["owner"],
            "modes": None if modes >= every else sorted(modes),
            "namespaces": sorted({one for one in namespaces if one}) or None,
            "tools": _tools(given["tools"]),
            **({"sources": given["sources"] or None} if "sources" in given else {}),
            **({"placement": given["placement"]} if "placement" in given else {}),
            "turns_a_day": given["turns_a_day"],
            "tokens_a_day": given["tokens_a_day"],
        }

    def _settings(self) -> dict[str, Any]:
        """Those that were filled in, and those that have no field here."""
        before = self._agent.settings if self._agent else {}
        kept = {name: value for name, value in before.items() if name not in self.fields}
        filled = {name: self.cleaned_data[name] for name in (*_SETTINGS, "instructions")}
        found = kept | {name: value for name, value in filled.items() if value not in (None, "")}
        # An empty name says that there is none, and is not the same as saying nothing.
        return found | ({"key_env": ""} if self.cleaned_data["no_key"] and "key_env" not in found else {})

    def refuse(self, error: ValidationError) -> None:
        """Puts what a verb would not take beside the fields that it names."""
        for field, complaints in error.message_dict.items():
            name = field.removeprefix("settings.")
            for words in complaints:
                if name in self.fields:
                    self.add_error(name, f"{words[:1].upper()}{words[1:]}.")
                else:
                    self.add_error(None, f"{name} {words}.")


def _tools(written: str) -> dict[str, str] | None:
    """`recall: allowed, peers: ask`, by name; what is no such pair is left for the verb to refuse."""
    pairs = [one.partition(":") for one in written.split(",") if one.strip()]
    return {name.strip(): word.strip() for name, _, word in pairs} or None


def _sources(agent: Agent | None) -> list[str]:
    return sorted({*Source.objects.values_list("name", flat=True), *((agent and agent.sources) or ())})


def _placements(agent: Agent | None) -> list[str]:
    """Those that are served just now, and those that agents have."""
    known = {*Agent.objects.values_list("placement", flat=True).distinct(), *(served.placements() or ())}
    return sorted((known | {agent.placement if agent else ""}) - {""})


def _initial(agent: Agent | None, owner: Person | None) -> dict[str, Any]:
    if agent is None:
        return {"kind": _HOSTED, "owner": owner, "modes": [str(mode) for mode in Mode], "provider": "openai"}
    settings = {name: value for name, value in agent.settings.items() if name in _SETTINGS or name == "instructions"}
    return settings | {
        "handle": agent.handle.spelled,
        "name": agent.name,
        "kind": agent.kind,
        "owner": agent.owner,
        "provider": agent.provider,
        "no_key": agent.settings.get("key_env") == "",
        "modes": sorted(OFFERS[agent.kind]) if agent.modes is None else agent.modes,
        "namespaces": ", ".join(agent.namespaces or []),
        "sources": agent.sources or [],
        "placement": agent.placement,
        "tools": ", ".join(f"{name}: {word}" for name, word in (agent.tools or {}).items()),
        "turns_a_day": agent.turns_a_day,
        "tokens_a_day": agent.tokens_a_day,
    }
