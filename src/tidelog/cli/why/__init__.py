"""Commands that say why facts hold."""
