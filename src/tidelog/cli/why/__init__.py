"""Commands that say why facts hold, and why not."""
