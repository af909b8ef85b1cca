"""`tidelog init`: a folder to begin with: rules, facts, updates, a script, and a page that says what to try."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.common.in_json import AsJson, print_json
from tidelog.cli.shell import app, reporting
from tidelog.errors import fail

RULES = """\
% Who reaches what: roads lead from place to place, and some are closed.

@relation road(from: string, to: string, km: int) .
@relation closed(from: string, to: string) .
@relation depot(place: string) .

open(X, Y) :- road(X, Y, _), not closed(X, Y).
reaches(X, Y) :- open(X, Y).
reaches(X, Z) :- reaches(X, Y), open(Y, Z).

served(P) :- depot(D), reaches(D, P).
cut_off(P) :- road(_, P, _), not served(P), not depot(P).
summary(D, N) :- depot(D), N = count { P : reaches(D, P) }.
"""
ROADS = "from,to,km\nharbour,market,3\nmarket,school,2\nmarket,mill,7\nmill,farm,4\nschool,library,1\n"
DEPOTS = "place\nharbour\n"
UPDATES = """\
{"id": "monday", "insert": [["closed", "market", "mill"]]}
{"id": "tuesday", "insert": [["road", "library", "mill", 9]]}
{"id": "wednesday", "delete": [["closed", "market", "mill"]], "insert": [["depot", "farm"]]}
"""
SCRIPT = '''\
"""Loads the facts, follows the updates, and says what each of them changes."""

from pathlib import Path

from tidelog import KnowledgeBase

HERE = Path(__file__).parent
kb = KnowledgeBase(HERE / "rules.dl", strict=True)
kb.load("road", HERE / "facts" / "road.csv")
kb.load("depot", HERE / "facts" / "depot.csv")
print(kb["served"])


def tell(change):
    print(f"{change.id}: cut off {sorted(change.inserted)}, served again {sorted(change.deleted)}")


kb.subscribe("cut_off", tell)
for _ in kb.follow(HERE / "updates.jsonl"):
    pass
print(kb["summary"])
'''
PAGE = """\
# A first knowledge base

`rules.dl` has the rules, `facts` a file for each relation, `updates.jsonl` three updates.

```sh
tidelog check rules.dl                                             # what the program is, or what is wrong with it
tidelog run rules.dl --facts facts                                 # everything that follows
tidelog query rules.dl "reaches(harbour, X)" --facts facts         # a question
tidelog stream rules.dl --facts facts --updates updates.jsonl      # what each update changes
tidelog repl rules.dl --facts facts                                # to try things; :help
python app.py                                                      # the same from Python
```

Then change a rule, or put your own CSV files into `facts`.
"""
FILES = {
    "rules.dl": RULES,
    "facts/road.csv": ROADS,
    "facts/depot.csv": DEPOTS,
    "updates.jsonl": UPDATES,
    "app.py": SCRIPT,
    "README.md": PAGE,
}


@app.command("init")
@reporting
def init_command(
    folder: Annotated[Path, typer.Argument(help="The folder; it is made if it is not there.", metavar="DIR")],
    as_json: AsJson = False,
) -> None:
    """Make a folder to begin with: rules, facts, updates, a script, and a page that says what to try."""
    there = [name for name in FILES if (folder / name).exists()]
    if there:
        raise fail("TL063", f"{folder} has {', '.join(there)} already", fix="choose another folder; nothing has been written")
    try:
        for name, text in FILES.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        problem = f"cannot write {error.filename or folder}: {error.strerror or error}"
        raise fail("TL060", problem, fix="check the path and the rights") from error
    if as_json:
        print_json({"folder": str(folder), "files": list(FILES)})
        return
    typer.echo(f"{folder}: {', '.join(FILES)}")
    typer.echo(f"next: tidelog run {folder / 'rules.dl'} --facts {folder / 'facts'}")
