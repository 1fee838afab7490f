"""Never gets past its own import."""

while True:
    pass
