"""A journal entry in the shape of the contract's frames, the same over REST and over the socket."""

from __future__ import annotations

from collab.api.gives import AskOut, DeliveryOut, FrameOut, MemberOut, MessageOut, RoomOut, TurnOut
from messaging.roster.access import MemberView
from messaging.transcript.view import AskView, DeliveryView, Frame, MessageView, SessionView, TurnView


def frame_out(frame: Frame) -> FrameOut:
    """The frame with its body under the name of its type."""
    match frame.body:
        case MessageView() as view:
            return FrameOut(type="message", seq=frame.seq, message=MessageOut.from_orm(view))
        case DeliveryView() as view:
            return FrameOut(
                type="disposition",
                seq=frame.seq,
                message=frame.about.id if frame.about else None,
                delivery=DeliveryOut.from_orm(view),
            )
        case TurnView() as view:
            return FrameOut(type="turn", seq=frame.seq, turn=TurnOut.from_orm(view))
        case MemberView() as view:
            return FrameOut(type="member", seq=frame.seq, member=MemberOut.from_orm(view))
        case SessionView() as view:
            return FrameOut(type="session", seq=frame.seq, session=RoomOut.from_orm(view))
        case AskView() as view:
            return FrameOut(type="ask", seq=frame.seq, ask=AskOut.from_orm(view))
