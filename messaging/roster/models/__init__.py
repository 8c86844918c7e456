"""The roster's rows."""

from messaging.roster.models.agent import Agent
from messaging.roster.models.handle import Handle
from messaging.roster.models.installation import Installation
from messaging.roster.models.invitation import Invitation
from messaging.roster.models.person import Account, Person
from messaging.roster.models.session import Membership, MembershipChange, Session, SessionChange
from messaging.roster.models.spend import Spend
from messaging.roster.models.token import SignInLink, Token

__all__ = [
    "Account",
    "Agent",
    "Handle",
    "Installation",
    "Invitation",
    "Membership",
    "MembershipChange",
    "Person",
    "Session",
    "SessionChange",
    "SignInLink",
    "Spend",
    "Token",
]
