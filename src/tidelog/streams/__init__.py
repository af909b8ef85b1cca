"""Updates that come one after the other, and the changes that they make."""

from tidelog.streams.following import AsyncFollowing, Following
from tidelog.streams.source import UpdateSource
from tidelog.streams.update import Update, UpdateError

__all__ = ["AsyncFollowing", "Following", "Update", "UpdateError", "UpdateSource"]
