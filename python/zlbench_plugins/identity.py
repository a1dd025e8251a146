"""The run identity as far as this process knows it (docs/run-identity.md). A value that cannot be
had is null, and `unknown` says why."""

import contextlib
import time

from .channel import channel
from .failures import described


class NotKnown(Exception):
    """Raised by a probe; its text is the reason."""


class Identity:
    def __init__(self):
        self._news = {}
        self._unknown = {}
        self._workarounds = []
        self._seconds = {}

    def put(self, name, value):
        self._unknown.pop(name, None)
        self._news[name] = value

    def missing(self, name, reason):
        """`name` may be a dotted path into a field: then only the reason is noted."""
        self._unknown[name] = reason
        if "." not in name:
            self._news[name] = None

    def expect(self, names, reason):
        """These fields come later; until then they are unknown for this reason."""
        for name in names:
            self.missing(name, reason)

    def probe(self, name, function, *arguments):
        """Calls one probe, guarded: what goes wrong in it costs this field only."""
        try:
            value = function(*arguments)
            if value is None:
                raise NotKnown("not available here")
        except NotKnown as reason:
            self.missing(name, str(reason))
        except Exception as error:
            self.missing(name, described(error))
        else:
            self.put(name, value)

    @contextlib.contextmanager
    def timed(self, field):
        """Adds what the block takes to `field`, in milliseconds."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[field] = self._seconds.get(field, 0) + time.perf_counter() - begin
            self.put(field, round(self._seconds[field] * 1e3, 2))

    def add_workaround(self, name, reason):
        self._workarounds.append({"name": name, "reason": reason})
        self._news["workarounds"] = list(self._workarounds)

    def take_news(self):
        """What was found since the last time. The parent merges field by field, so that `unknown`
        is always whole."""
        news, self._news = self._news, {}
        return {**news, "unknown": dict(self._unknown)}

    def send(self):
        channel.send("identity", identity=self.take_news())


identity = Identity()
