"""What every client has in common: it is opened by `with` and closed at its end."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any


class Closing(AbstractContextManager[Any]):
    """A client that `with` closes."""

    @abstractmethod
    def close(self) -> None:
        """Ends connections and closes the log."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
