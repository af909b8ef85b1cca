"""Environment variables in options, and secrets that must not be shown."""

from __future__ import annotations

import pytest

from tidelog.errors import Diagnostic, TidelogError
from tidelog.redaction import check_variables, redacted, shown_options, variables_in, with_variables, without_secrets


def test_variables_are_put_in_where_they_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PW", "open sesame")
    assert with_variables({"password": "${PW}", "url": "x?p=${PW}&q"}) == {"password": "open sesame", "url": "x?p=open sesame&q"}
    monkeypatch.delenv("PW")
    with pytest.raises(TidelogError, match="TL094"):
        with_variables({"password": "${PW}"})


def test_secrets_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PW", "open sesame")
    options = {"password": "hunter22", "user": "me", "key": "${PW}", "url": "jdbc:pg://me:geheim@host/db?password=geheim&x=1"}
    shown = shown_options(options)
    assert shown == {"password": "•••", "user": "me", "key": "${PW}", "url": "jdbc:pg://me:•••@host/db?password=•••&x=1"}
    message = redacted("cannot log in with open sesame or hunter22", [options])
    assert message == "cannot log in with ${PW} or •••"


def test_all_variables_that_are_not_set_are_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    names = variables_in([{"url": "${HOST}:${PORT}", "user": "${HOST}"}, {"password": "${PW}"}])
    assert names == ["HOST", "PORT", "PW"]
    monkeypatch.setenv("PORT", "1")
    for name in ("HOST", "PW"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(TidelogError) as caught:
        check_variables(names)
    assert [problem.fix for problem in caught.value.diagnostics] == [
        "set it before the job starts: export HOST=…",
        "set it before the job starts: export PW=…",
    ]


def test_errors_are_shown_without_secrets() -> None:
    error = TidelogError([Diagnostic("TL060", "no entry for hunter22", notes=("tried hunter22", "twice"))])
    (shown,) = without_secrets(error, {"password": "hunter22"}).diagnostics
    assert (shown.code, shown.message, shown.notes) == ("TL060", "no entry for •••", ("tried •••", "twice"))
