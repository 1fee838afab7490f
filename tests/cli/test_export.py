"""`wordpl contest export`: a file for the contest's repository that the contest here takes too."""

import pytest

from tests.cli.conftest import refused


@pytest.mark.heavy
def test_the_command_writes_a_file_that_conforms(cli):
    made = cli("contest", "export", "NGuess(n_guesses=2, epsilon=7.8)", "-o", "mine.py")
    assert made.code == 0 and "at most 15.6" in made.out.splitlines()[0]
    assert "from strategies.mine import WordplNGuess" in made.out
    checked = cli("check", "mine.py", "--games", "1", "--sandbox")
    assert checked.code == 0, checked.out + checked.err


def test_a_file_is_written_over_by_force_alone(cli, tmp_path):
    (tmp_path / "there.py").write_text("mine")
    two, link = ["Greedy(10)", "Greedy(9)", "-o", "mine.py", "--link", "javascript:x"], "https://example.org/ann"
    assert "https" in refused(cli, "contest", "export", *two)
    assert "--force" in refused(cli, "contest", "export", "Greedy(10)", "-o", "there.py")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]
    over = ["Greedy(10)", "-o", "there.py", "--force", "--author", "Ann Lee", "--link", link]
    made = cli("contest", "export", *over)
    assert made.code == 0 and "no bound" in made.out and f"| [Ann Lee]({link}) |" in made.out
    written = (tmp_path / "there.py").read_text()
    assert "class Greedy(_Exported)" in written and f"\n# Author: Ann Lee <{link}>\n" in written
