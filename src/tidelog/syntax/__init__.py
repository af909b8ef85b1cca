"""From text to terms and rules, and back: grammar, parser, syntax tree, printer."""
