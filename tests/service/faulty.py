"""Storages that fail when a test says so, or let something happen in the middle."""

from surefoot.storage.sqlite import SQLite


class Faulty(SQLite):
    """While `error` is set, nothing can be read or written."""

    error = None

    def patiently(self, work):
        if self.error is not None:
            raise self.error
        return super().patiently(work)


class Interleaved(SQLite):
    """What is in `after[method]` happens once, after the next call of a method, before whoever called goes on."""

    def __init__(self, path):
        super().__init__(path)
        self.after = {}

    def happen(self, method):
        if (work := self.after.pop(method, None)) is not None:
            work()

    def studies(self):
        found = super().studies()
        self.happen("studies")
        return found

    def create(self, name, event):
        try:
            super().create(name, event)
        finally:
            self.happen("create")

    def journal(self, name):
        found = super().journal(name)
        self.happen("journal")
        return found

    def number(self, name):
        found = super().number(name)
        self.happen("number")
        return found
