"""TIMEOUT: never gets past its own import."""

while True:
    pass
