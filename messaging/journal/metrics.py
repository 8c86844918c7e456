"""What is counted, with labels from fixed lists alone: never text, ids, handles or slugs (promise 30)."""

from __future__ import annotations

from prometheus_client import Counter, Gauge

from messaging.journal import slots

# Where several processes count together, that has to be known before the first counter is made.
slots.share()

messages = Counter("earshot_messages", "Messages kept, by class of audience and kind of author", ["audience", "author"])
dispositions = Counter("earshot_dispositions", "Steps of deliveries, by the state they led to", ["state"])
turns = Counter("earshot_turns", "Steps of turns, by the state they led to", ["state"])
refusals = Counter("earshot_refusals", "Posts refused, by reason code", ["code"])
#: `capability` is what was lacking, `other` where none is about it.
unauthorized = Counter("earshot_unauthorized", "Calls refused for want of a right, by capability", ["capability"])
#: `what` is `turns` or `tokens`; whose budget it is no metric tells.
budgets_near = Counter("earshot_budgets_near", "Budgets of which four fifths were used up in a day", ["what"])
compat = Counter("earshot_compat_defaults", "Posts that named no audience and got the session's default")
repeats = Counter("earshot_repeats", "Posts recognised as repeats by their client key")
#: Of this machine's processes together; a dead one's are forgotten.
sockets = Gauge("earshot_sockets", "Open sockets", multiprocess_mode="livesum")
