"""Signing in with a password or a one-time link, and out again."""

from __future__ import annotations

from django.contrib.auth import authenticate, login, logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from collab.web import throttle
from collab.web.forms import SignIn
from messaging.actions import sign_in as links

#: The same words for an unknown name and a wrong password: who is here stays untold.
WRONG = "That handle and password do not fit together."
BACKEND = "django.contrib.auth.backends.ModelBackend"


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """The password form."""
    if request.method != "POST":
        return redirect("/") if request.user.is_authenticated else _form(request, after=request.GET.get("next", ""))
    form = SignIn(request.POST)
    if not form.is_valid():
        return _form(request, WRONG, request.POST.get("name", ""), status=422)
    return _try(request, form.cleaned_data)


def _try(request: HttpRequest, given: dict[str, str]) -> HttpResponse:
    name, after = given["name"], given["next"]
    wait = throttle.take_try(name, request.META.get("REMOTE_ADDR", ""))
    if wait:
        words = f"Too many tries. Wait {wait} seconds, then try again."
        answer = _form(request, words, name, after, status=429)
        answer["Retry-After"] = str(wait)
        return answer
    account = authenticate(request, username=name, password=given["password"])
    if account is None:
        return _form(request, WRONG, name, after, status=422)
    throttle.forgive(name)
    login(request, account)
    return HttpResponseRedirect(_safe(request, after))


def _form(request: HttpRequest, problem: str = "", name: str = "", after: str = "", status: int = 200) -> HttpResponse:
    return render(request, "web/sign_in.html", {"problem": problem, "name": name, "next": after}, status=status)


def _safe(request: HttpRequest, after: str) -> str:
    """A page of our own to go on to; an address elsewhere is nobody's wish but an attacker's."""
    own = url_has_allowed_host_and_scheme(after, {request.get_host()}, require_https=request.is_secure())
    return after if own and after.startswith("/") else "/"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def by_link(request: HttpRequest, code: str) -> HttpResponse:
    """A one-time link. Only the button uses it up: mail and chat programs fetch links to preview them."""
    if request.method != "POST":
        person = links.holder(code)
        return render(
            request, "web/sign_in_link.html", {"name": person.name if person else ""}, status=200 if person else 404
        )
    account = links.redeem(code)
    if account is None:
        return render(request, "web/sign_in_link.html", {"name": ""}, status=404)
    login(request, account, backend=BACKEND)
    return redirect("/")


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Ends this browser's login."""
    logout(request)
    return redirect("web:sign-in")
