"""Conversations that outlive the process: SQLite from the standard library, or PostgreSQL.

>>> from byheart import store
>>> with store.open(folder / "chats.db") as chats:
...     chat = chats.conversation("alice")
...     chat.append("user", "we decided on 55 euro a month", when="8 May, 2023")
0
>>> with store.open(folder / "chats.db") as chats:
...     chats.conversation("alice").turns
[{'role': 'user', 'text': 'we decided on 55 euro a month', 'when': '8 May, 2023'}]
"""

from byheart.errors import StoreError
from byheart.store.conversation import Conversation
from byheart.store.stores import Listed, Store, open

__all__ = ["Conversation", "Listed", "Store", "StoreError", "open"]
