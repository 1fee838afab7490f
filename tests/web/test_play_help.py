"""Games over HTTP: help while they are played, and what is told of them at the end."""

import statistics
from dataclasses import asdict

import numpy as np
import pytest

from tests.support.helpers import ORIGINAL
from tests.support.pages import NO_ANSWERS
from tests.support.play_requests import GIVE_UP, after, answer_of, ask, begun
from wordpl import Clue, GameFormat, Posterior, Setting, Turn, clue, parse_strategy, score_guesses
from wordpl.wordle import analyze, read_finished


def test_help_is_that_of_the_posterior_and_only_what_was_asked_for(client):
    game = begun(client)
    moves = [ask(word, 9.0) for word in ("crate", "sloth")]
    belief = Posterior(ORIGINAL)
    for row in after(client, game, *moves)["rows"]:
        belief = belief.update(row["guess"], 9.0, row["clue"])
    found = after(client, game, *moves, path="help", show=["answers", "bits"])
    assert found["guesses"] is None
    assert found["bits"] == pytest.approx(belief.entropy)
    assert found["remaining"] == len(ORIGINAL.answers)
    assert (found["answers"][0]["word"], len(found["answers"])) == (belief.top[0], 10)
    assert found["answers"][0]["chance"] == pytest.approx(belief.top[1])
    assert found["bets"][-1] == found["answers"][0]
    found = after(client, game, *moves, path="help", show=["guesses"], epsilon=9.0)
    assert found["answers"] is None and found["bits"] is None and found["remaining"] is None
    bits = [guess["bits"] for guess in found["guesses"]]
    assert bits == pytest.approx(sorted(bits, reverse=True), abs=1e-8)  # ties go to the likelier answer
    assert len(bits) == 5
    assert bits[0] == pytest.approx(score_guesses(belief, 9.0, "information_gain").max())
    nothing = dict.fromkeys(("answers", "remaining", "bits", "guesses"))
    bets = found["bets"]
    found = after(client, game, *moves, path="help")
    assert found.pop("advice")["word"] == bets[-1]["word"] == belief.top[0]
    assert found == nothing | {"bets": bets, "win_chances": []}
    assert [after(client, game, *moves[:asks], path="help")["bets"] for asks in (0, 1)] == [bets[:1], bets[:2]]
    chance = belief.probabilities[ORIGINAL.answer_index["tardy"]]
    assert after(client, game, *moves, path="chance", word="tardy")["chance"] == pytest.approx(chance)
    for word, fault in ((NO_ANSWERS[0], "is none of the answers; propose another word."), ("zzzzz", "is not in")):
        error = after(client, game, *moves, path="chance", word=word, status=422)["error"]
        assert (fault in error["message"], error["field"]) == (True, "word")


@pytest.mark.parametrize("kind", ["wordle", "daily"])
def test_help_in_the_last_rows_ranks_by_the_chance_to_win(client, kind):
    game, moves = begun(client, kind=kind), [ask("zesty")] * 4
    two = after(client, game, *moves, path="help", show=["guesses", "answers"])
    assert two["win_chances"] == pytest.approx(sorted(two["win_chances"], reverse=True))
    assert two["win_chances"][0] > 2 / two["remaining"]
    one = after(client, game, *moves, ask("zesty"), path="help", show=["guesses", "answers"])
    chance = pytest.approx(1 / one["remaining"])
    assert one["win_chances"] == [chance] * 5 == [guess["chance"] for guess in one["guesses"]]
    assert after(client, game, *moves[:3], path="help", show=["guesses"])["win_chances"] == []


def test_the_analysis_is_the_command_s_and_the_share_text_can_be_read(client):
    game = begun(client, kind="wordle", words="original")
    answer = answer_of(client, game)
    moves = [ask(word) for word in ("crate", "sloth", "bumpy") if word != answer] + [GIVE_UP]
    state = after(client, game, *moves)
    guesses = [row["guess"] for row in state["rows"]]
    turns = read_finished(guesses, ORIGINAL, share=state["result"]["share"]).turns
    assert [str(Clue(turn.clue)) for turn in turns] == [row["clue"] for row in state["rows"]]
    record = asdict(analyze(Setting(ORIGINAL, "counted", format=GameFormat(6)), turns, answer=answer))
    assert after(client, game, *moves, path="analysis") == record | {"turns": list(record["turns"])}


def test_the_records_play_the_same_answer_and_noise(client):
    game = begun(client)
    moves = [ask("trace", 8.0), ask("sloth", 8.0), GIVE_UP]
    answer = after(client, game, *moves)["result"]["answer"]
    found = after(client, game, *moves, path="records")
    assert [(one["name"], one["percentile"]) for one in found] == [("Fifth", 5), ("Median", 50), ("NinetyFifth", 95)]
    assert [one["budget"] for one in found] == [record["budget"] for record in client.get("/api/play/records").json()]
    for one in found:
        strategy = parse_strategy(f"{one['name']}()")
        first = strategy.decide(Setting(ORIGINAL), ())
        assert one["moves"][0] == {"action": "ask", "word": first.guess, "epsilon": first.epsilon}
        assert one["won"] == (one["proposed"] == answer)
        assert one["spent"] == pytest.approx(one["budget"])
        for row in one["rows"]:
            assert row["true_clue"] == str(clue(row["guess"], answer))
    # The median record has more than the 16 spent, so it would go on where the player stopped; the fifth would not.
    fifth, median, _ = found
    assert [one["moves"][2]["action"] for one in (fifth, median)] == ["propose", "ask"]
    assert median["moves"][2]["epsilon"] == pytest.approx(median["budget"] - 16)
    spent = after(client, game, ask("trace", 100.0), GIVE_UP, path="records")  # more than any of them has
    assert [one["moves"][1]["action"] for one in spent] == ["propose"] * 3
    cheap = after(client, game, *[ask("trace", 1.0)] * 4, GIVE_UP, path="records")
    for one in cheap:  # whose budget has no end before its clues have
        clues = parse_strategy(f"{one['name']}()").policy.clues
        assert [move["action"] for move in one["moves"]] == ["ask"] * clues + ["propose"] * (5 - clues)
    # After a guess that is not its own, it spends such a part of the rest as its table usually does.
    for one in (median, found[2]):
        policy = parse_strategy(f"{one['name']}()").policy
        epsilons = [[at for path, (_, at) in policy.moves.items() if len(path) == k] for k in range(2)]
        first, second = map(statistics.median, epsilons)
        row = after(client, game, *moves)["rows"][0]
        bits = Posterior(ORIGINAL).update("trace", 8.0, row["clue"]).entropy
        fractions = policy.budget_fractions
        part = np.interp(bits, *np.transpose(fractions)) if fractions else second / (policy.budget - first)
        expected = (one["budget"] - 8) * (part if policy.clues > 2 else 1)
        assert one["moves"][1]["epsilon"] == pytest.approx(expected), one["name"]
    # It asks the word that tells most, and last the one that most helps the proposal.
    for one, asked, criterion in (
        (fifth, 1, "expected_top"),
        (median, 1, "information_gain"),
        (median, 2, "expected_top"),
    ):
        belief = Posterior(ORIGINAL)
        for row in after(client, game, *moves)["rows"][:asked]:
            belief = belief.update(row["guess"], 8.0, row["clue"])
        scores = score_guesses(belief, one["moves"][asked]["epsilon"], criterion)
        assert scores[ORIGINAL.guess_index[one["moves"][asked]["word"]]] == pytest.approx(scores.max(), abs=1e-9)


def test_a_player_who_asks_what_a_record_asks_is_told_its_own_next_move(client):
    strategy = parse_strategy("Fifth()")
    game, setting = begun(client), Setting(ORIGINAL)
    first = strategy.decide(setting, ())
    moves = [ask(first.guess, first.epsilon), GIVE_UP]
    row = after(client, game, *moves)["rows"][0]
    fifth = after(client, game, *moves, path="records")[0]
    second = strategy.decide(setting, (Turn(first.guess, first.epsilon, Clue.parse(row["clue"]).code),))
    assert fifth["moves"][1] == {"action": "ask", "word": second.guess, "epsilon": pytest.approx(second.epsilon)}
    assert fifth["rows"][0]["clue"] == row["clue"]
