"""Knowledge bases that survive the process: `save`, `open`, `close`.

Read `saved` first: the folder, and how a snapshot takes the place of another.  `opening` reads a snapshot and replays the
journal.  Below them: `manifest` (SQLite), `journal` (each change before it is acknowledged), `snapshot` (values and rows as Arrow
files), `rule_text`, `columns`, `folder_lock`, `file_operations`.  `verification` checks a folder.
"""
