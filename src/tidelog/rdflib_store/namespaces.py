"""The prefixes of a store: each stands for one namespace, and each namespace has one prefix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rdflib import URIRef


class Namespaces:
    """Prefixes and namespaces, both ways."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._namespaces: dict[str, URIRef] = {}
        self._prefixes: dict[URIRef, str] = {}
        for prefix, namespace in prefixes.items():
            self.bind(prefix, URIRef(namespace))

    def bind(self, prefix: str, namespace: URIRef, *, override: bool = True) -> None:
        """Let a prefix stand for a namespace; without `override` neither takes the place of another one."""
        if not override and (prefix in self._namespaces or namespace in self._prefixes):
            return
        if (old := self._namespaces.pop(prefix, None)) is not None:
            del self._prefixes[old]
        if (former := self._prefixes.pop(namespace, None)) is not None:
            del self._namespaces[former]
        self._namespaces[prefix], self._prefixes[namespace] = namespace, prefix

    def namespace(self, prefix: str) -> URIRef | None:
        """The namespace of a prefix."""
        return self._namespaces.get(prefix)

    def prefix(self, namespace: URIRef) -> str | None:
        """The prefix of a namespace."""
        return self._prefixes.get(namespace)

    def __iter__(self) -> Iterator[tuple[str, URIRef]]:
        return iter(list(self._namespaces.items()))
