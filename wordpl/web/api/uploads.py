"""Uploads to the contest: hand one in, and see what becomes of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import Field
from starlette.requests import ClientDisconnect

from wordpl.base.json_types import Doc
from wordpl.contest.check import Finding
from wordpl.contest.ledger.entries import LONGEST_AUTHOR, LONGEST_LINK, Credit
from wordpl.contest.ledger.seeds import LONGEST_NONCE, check_nonce
from wordpl.contest.uploads.package import BOUNDS, LONGEST_CALL, LONGEST_FILE_NAME, Bounds, UploadError
from wordpl.contest.uploads.queue import Item, Queue, QuotaError, Token, TokenError, UnknownUploadError
from wordpl.contest.uploads.scoring_worker import MOST_CHECK_GAMES
from wordpl.web.models import Model
from wordpl.web.problems import FieldError, in_field, plain
from wordpl.web.server import Here

router = APIRouter(prefix="/api/contest", tags=["uploads"])

TYPES = ("text/x-python", "application/zip")
_FILE = {"type": "string", "format": "binary", "maxLength": BOUNDS.bytes}
_WHO = {"WWW-Authenticate": "Bearer"}

Identity = Annotated[str, Path(max_length=64, description="The `id` of the submission")]


@dataclass(frozen=True)
class UploadBounds(Bounds):
    file: Annotated[int, Doc("Characters of a file's name")] = LONGEST_FILE_NAME
    call: Annotated[int, Doc("Characters of a call")] = LONGEST_CALL
    author: Annotated[int, Doc("Characters of an author")] = LONGEST_AUTHOR
    link: Annotated[int, Doc("Characters of a link")] = LONGEST_LINK
    nonce: Annotated[int, Doc("Characters of a nonce")] = LONGEST_NONCE


class UploadsState(Model):
    """Whether uploads are taken; `why` says why not."""

    on: bool
    why: Annotated[str, Doc("Why not; empty if they are")]
    waiting: Annotated[int, Doc("Submissions that wait, of all tokens")]
    hours: Annotated[float, Doc("Wall clock of a run at a time; it is resumed once, after what waits")]
    game_seconds: Annotated[float, Doc("Wall clock of a game")]
    bounds: UploadBounds = UploadBounds()


class EntryOut(Model):
    """The entry of a submission in the ranking, with the commitment to its secret."""

    id: str
    name: Annotated[str, Doc("The token's name, with a number if it has other entries")]
    commitment: Annotated[str, Doc("The hash of its secret")]
    nonce: Annotated[str, Doc("The author's part of the seed")]


class SubmissionOut(Model, extra="ignore"):
    """A submission: of a running entry, nothing but the number of games is shown."""

    id: Annotated[str, Doc("Id of the submission, not of its entry")]
    name: Annotated[str, Doc("The name of the token")]
    file: Annotated[str, Doc("Name of the file when it was uploaded")]
    call: Annotated[str, Doc("Which class is meant; empty if none was named")]
    received: Annotated[str, Doc("UTC, ISO 8601")]
    state: Literal["waiting", "checking", "scoring", "done", "refused"]
    position: Annotated[int | None, Doc("Place among those that wait, from 1")]
    games: Annotated[int, Doc("Played so far: of the check, or of the entry")]
    games_at_most: Annotated[int | None, Doc("What `games` does not exceed; most runs end earlier")]
    findings: Annotated[list[Finding], Doc("What `wordpl check` says, once the check is over")]
    reason: Annotated[str, Doc("Why it was refused, has no rank, or is resumed later; a remark if it is done")]
    entry: Annotated[EntryOut | None, Doc("The entry, from the start of scoring")]


class Submissions(Model):
    submissions: list[SubmissionOut]


class SubmissionQuery(Model):
    """What goes with the bytes of an upload."""

    file: Annotated[str, Field(max_length=LONGEST_FILE_NAME, description="Its name, such as `mine.py` or `mine.zip`")]
    call: Annotated[str, Field(max_length=LONGEST_CALL, description="Which class, as `Mine(epsilon=12)`")] = ""
    author: Annotated[str, Field(max_length=LONGEST_AUTHOR)] = ""
    link: Annotated[str, Field(max_length=LONGEST_LINK, description="An https address to read more at")] = ""
    show_source: Annotated[bool, Doc("Whether the ledger publishes the source")] = False
    nonce: Annotated[str, Field(max_length=LONGEST_NONCE, description="The author's part of the seed")] = ""


_bearer = HTTPBearer(auto_error=False, description="A token that `wordpl contest token NAME` has made")


async def _text(credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]) -> str:
    if credentials is None:
        text = "a token is needed, in the header Authorization: Bearer TOKEN; the organiser of the contest makes them"
        raise FieldError(text, "token", 401, _WHO)
    return credentials.credentials


async def _token(text: Annotated[str, Depends(_text)], here: Here) -> Token:
    with _refusals():
        return await here.uploads.run(lambda queue: queue.tokens.find(text))


TokenText = Annotated[str, Depends(_text)]
Author = Annotated[Token, Depends(_token)]


@contextmanager
def _refusals() -> Iterator[None]:
    """Say of a refusal in the block which status it has and which field it is about."""
    try:
        yield
    except TokenError as error:
        raise FieldError(str(error), "token", 401, _WHO) from None
    except QuotaError as error:
        to_midnight = 86400 - int(time.time()) % 86400  # UTC, when the quota of the next day begins
        raise FieldError(str(error), "token", 429, {"Retry-After": str(to_midnight)}) from None
    except UploadError as error:
        raise FieldError(str(error), error.field) from None


@router.get("/uploads")
async def read_uploads(here: Here) -> UploadsState:
    """Whether this server takes uploads, how many wait, and what bounds there are."""
    settings, why, waiting = here.settings, here.uploads.why, 0
    if not why:
        closed, waiting = await here.uploads.run(lambda queue: (bool(queue.ledger.contest.closed), queue.waiting()))
        why = "uploads are off: this contest is closed" if closed else ""
    hours, seconds = settings.upload_hours, settings.upload_game_seconds
    return UploadsState(on=not why, why=why, waiting=waiting, hours=hours, game_seconds=seconds)


@router.post(
    "/submissions",
    status_code=201,
    max_body_size=BOUNDS.bytes,
    openapi_extra={"requestBody": {"required": True, "content": {kind: {"schema": _FILE} for kind in TYPES}}},
)
async def hand_in(
    request: Request, response: Response, token: TokenText, query: Annotated[SubmissionQuery, Query()], here: Here
) -> SubmissionOut:
    """Hand in a strategy: a Python file, or a zip with a `strategy.py`, as the body itself.

    It is queued, then checked as `wordpl check` does, then scored in a sandbox.
    """
    with _refusals():
        author = await here.uploads.run(lambda queue: queue.admit(token))  # before anything is read
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in TYPES:
            raise FieldError(f"a content type is expected that is {' or '.join(TYPES)}", "file", 415)
        names = [name for name, _ in request.query_params.multi_items()]
        if repeats := [name for name in names if names.count(name) > 1]:
            raise FieldError("this is there more than once; one is expected", repeats[0])
        credit = _credit(query)
        with here.uploads.body(author.key):
            try:
                upload = query.file, await request.body(), query.call, credit, query.nonce
            except ClientDisconnect:
                raise FieldError("the upload has not come whole", "file", 400) from None
            submission = await here.uploads.run(lambda queue: _submission_of(queue, queue.enqueue(token, *upload)))
    response.headers["Location"] = f"{router.prefix}/submissions/{submission.id}"
    return submission


@router.get("/submissions")
async def list_submissions(author: Author, here: Here) -> Submissions:
    """The submissions of the token, newest first."""

    def read(queue: Queue) -> list[SubmissionOut]:
        return [_submission_of(queue, item) for item in queue.items(author)]

    return Submissions(submissions=await here.uploads.run(read))


@router.get("/submissions/{identity}")
async def read_submission(identity: Identity, author: Author, here: Here) -> SubmissionOut:
    """A submission of the token, and how far it is."""
    return await here.uploads.run(lambda queue: _submission_of(queue, _own(queue, author, identity)))


@router.delete("/submissions/{identity}")
async def withdraw_submission(identity: Identity, author: Author, here: Here) -> SubmissionOut:
    """Take back a submission that waits. It still counts as an upload of its day. 409 if it waits no more."""

    def withdraw(queue: Queue) -> SubmissionOut:
        if not queue.withdraw(_own(queue, author, identity)):
            raise FieldError("this submission does not wait any more, so it cannot be withdrawn", status=409)
        return _submission_of(queue, queue.item(identity))

    return await here.uploads.run(withdraw)


def _own(queue: Queue, author: Token, identity: str) -> Item:
    """A submission of this token; whether another has one of this id is not told."""
    with suppress(UnknownUploadError):
        item = queue.item(identity)
        if item.token == author.key:
            return item
    raise FieldError("this token has no such submission", status=404)


def _submission_of(queue: Queue, item: Item) -> SubmissionOut:
    entry = None if item.entry is None else queue.ledger.entry(item.entry)
    games_at_most = MOST_CHECK_GAMES if item.state == "checking" else None
    if entry is not None:
        games_at_most = entry.stop_rule.max_trials if entry.trials is None else entry.trials
    position = queue.waiting(item) + 1 if item.state == "waiting" else None
    findings = [replace(finding, message=plain(finding.message)) for finding in item.findings]
    known = vars(item) | {"findings": findings, "reason": plain(item.reason)}
    extra = {"position": position, "games_at_most": games_at_most, "entry": entry}
    return SubmissionOut.model_validate(known | extra, from_attributes=True)


def _credit(query: SubmissionQuery) -> Credit:
    with in_field("author"):
        Credit(author=query.author)
    with in_field("nonce"):
        if query.nonce:
            check_nonce(query.nonce)
    with in_field("link"):
        return Credit(query.author, query.link, query.show_source)
