"""The run identity as far as this process knows it. A value that cannot be had is null, and
`unknown` says why."""

from .channel import channel
from .failures import described


class NotKnown(Exception):
    """Raised by a probe; its text is the reason."""


class Identity:
    def __init__(self):
        self._news = {}
        self._unknown = {}
        self._workarounds = []

    def put(self, name, value):
        self._news[name] = value

    def probe(self, name, function, *arguments):
        """Calls one probe, guarded: what goes wrong in it costs this field only."""
        try:
            value = function(*arguments)
            if value is None:
                raise NotKnown("not available here")
        except NotKnown as reason:
            value = self.missing(name, str(reason))
        except Exception as error:
            value = self.missing(name, described(error))
        self._news[name] = value
        return value

    def missing(self, name, reason):
        self._unknown[name] = reason

    def add_workaround(self, name, reason):
        self._workarounds.append({"name": name, "reason": reason})
        self._news["workarounds"] = list(self._workarounds)

    def take_news(self):
        """What was found since the last time. The parent merges field by field, so that `unknown`
        is always whole."""
        news, self._news = self._news, {}
        if self._unknown:
            news["unknown"] = dict(self._unknown)
        return news

    def send(self):
        channel.send("identity", identity=self.take_news())


identity = Identity()
