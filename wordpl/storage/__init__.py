"""Things on disk that are checked before they are believed: arrays, SQLite files, lines of JSON."""
