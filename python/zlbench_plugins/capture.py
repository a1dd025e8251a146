"""Captures one call as a graph, through the framework: only then does its allocator know of it."""

import contextlib
import gc

from .access import access
from .collector import no_collection
from .failures import described_chain
from .framework import NoGraphs, begin_capture, raw_graph


class CaptureFailed(Exception):
    """Its text is the reason."""


class Captured:
    def __init__(self, graph, output):
        self.graph = graph  # the framework's; what it captured lives as long
        self.handle = raw_graph(graph)
        self.output = output


class Capturer:
    def __init__(self, framework):
        self._framework = framework
        self.off = ""  # why no capture is tried any more
        self._doubt = ""  # what failed, when what it left behind is not known yet

    def capture(self, call):
        """On the current stream; exactly one call. Raises CaptureFailed; what
        that left behind is not known then, and nothing is captured before heal()."""
        if self.off or self._doubt:
            raise CaptureFailed(self.off or self._doubt)
        try:
            with no_collection(), access.bound():
                return Captured(*self._capture(call))
        except NoGraphs as error:
            self.off = reason = str(error)
        except Exception as error:
            reason = f"capture failed: {described_chain(error)}"
            error.__traceback__ = None  # its frames hold tensors of the graph's memory
        gc.collect()
        self._doubt = reason
        raise CaptureFailed(reason)

    def heal(self, is_possible=True):
        """After a capture that failed: the process is as usable as before, or `off` says that it is
        not for this. Not possible within a context that replaces the framework's operators."""
        if self._doubt and is_possible and not self.off:
            self._check_health()

    def _capture(self, call):
        graph = self._framework.new_graph()
        try:
            begin_capture(graph)
            try:
                output = call()
            except BaseException:
                # Ended where it began, whatever that says: the stream is unusable else.
                with contextlib.suppress(Exception):
                    graph.capture_end()
                raise
            graph.capture_end()
            return graph, output
        except BaseException:
            with contextlib.suppress(Exception):
                graph.reset()
            raise

    def _check_health(self):
        """A capture that failed may leave the random generator in its own state: one that succeeds
        puts that right, and must come first (pytorch#171263)."""
        torch, reason, self._doubt = self._framework.torch, self._doubt, ""
        try:
            self._framework.synchronize()
            probe = torch.ones(1024, device=self._framework.word)
            with access.bound():
                graph, output = self._capture(lambda: probe + 1)
            graph.replay()
            torch.rand(1024, device=self._framework.word)
            self._framework.synchronize()
            del graph, output
        except Exception as error:
            self.off = (f"an earlier capture ({reason}) left the framework without graphs: "
                        f"{described_chain(error)}")
            error.__traceback__ = None
