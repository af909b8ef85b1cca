"""What several commands do alike: `in_json` prints what `--json` asks for, `stopping` handles SIGTERM and Ctrl-C."""
