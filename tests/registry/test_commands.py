"""Shell text is read command by command, and unreadable text is reported as such."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.registry import commands


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("git status", ["git status"]),
        ("git status && rm -rf /", ["git status", "rm -rf /"]),
        ("a; b | c || d & e\nf", ["a", "b", "c", "d", "e", "f"]),
        ("a&&b;c|d", ["a", "b", "c", "d"]),
        ("echo $(rm x)", ["rm x", "echo $()"]),
        ('echo "$(rm x; ls)"', ["rm x", "ls", "echo $()"]),
        ('echo "`rm x`"', ["rm x", "echo $()"]),
        ("echo `echo \\`rm x\\``", ["rm x", "echo $()", "echo $()"]),
        ("echo '$(rm x)'", ["echo $(rm x)"]),
        ("echo \\$(rm x)", ["echo $", "rm x"]),
        ("(cd a && rm b)", ["cd a", "rm b"]),
        ("diff <(ls a) <(rm b)", ["ls a", "rm b", "diff <() <()"]),
        ("r''m -rf \"/\"", ["rm -rf /"]),
        ("r\\m x", ["rm x"]),
        ("r\\\nm x", ["rm x"]),
        ("echo a # && rm b", ["echo a"]),
        ("echo a#b", ["echo a#b"]),
        ("git log > out.txt", ["> out.txt", "git log"]),
        ("git log >>~/.bashrc 2>&1", ["> ~/.bashrc", "git log"]),
        ("make &> log", ["> log", "make"]),
        ("make 2>/dev/null >&2", ["make"]),
        ("make >1", ["> 1", "make"]),
        ("make > -", ["> -", "make"]),
        ("make &>5", ["> 5", "make"]),
        ("make >|5 2>&-", ["> 5", "make"]),
        ("echo x 1<>f <&0", ["> f", "echo x"]),
        ("git apply < x.patch", ["< x.patch", "git apply"]),
        ('"git status" -s', ["'git status' -s"]),
        ("echo ${x:-$(rm y)}", ["rm y", "echo ${x:-$()}"]),
        ("echo $((1 + $(rm x)))", ["rm x", "1 + $()", "echo $()"]),
        ("", []),
        ("  ;; ", []),
    ],
)
def test_every_command_of_a_text_is_found(text: str, found: list[str]) -> None:
    parsed = commands.parse(text)
    assert parsed is not None
    assert [commands.as_text(each) for each in parsed] == found


@pytest.mark.parametrize(
    "text",
    [
        *("echo 'open", 'echo "open', "echo $(open", "echo `open", "(open", "close)", "cat <<END\nx\nEND"),
        *("cat <<< x", "$'rm' x", "a \\", "$(" * 40 + ")" * 40),
    ],
)
def test_what_cannot_be_read_with_certainty_is_not_guessed(text: str) -> None:
    assert commands.parse(text) is None


@pytest.mark.parametrize(
    "text",
    [
        *("rm x", "/bin/rm x", "sudo rm x", "sudo -u root rm x", "env A=1 rm x", "A=1 rm x", "xargs rm x"),
        *("find . -exec rm x", "timeout 5 rm x", "bash -c 'rm x'", 'sh -c "echo a && rm x"', "eval rm x"),
        *("if rm x", "nohup sudo -E /usr/bin/rm x", "! rm x", "{ rm x", "bash -c 'sudo rm x'", "then rm x"),
        *(
            "su -c 'rm x'",
            "su - root -c 'rm x'",
            "script -qc 'rm x' log",
            "trap 'rm x' EXIT",
            "ssh h 'ls; rm x'",
        ),
        *("env -S 'rm x'", "watch 'rm x'", "flock lock -c 'rm x'"),
    ],
)
def test_a_command_in_disguise_is_seen(text: str) -> None:
    (command,) = commands.parse(text) or ()
    assert any(each.startswith("rm x") for each in commands.disguised(command) or ())


@settings(deadline=None)
@given(st.text(alphabet="ab$()`'\"\\;&|<>#{} \n=", max_size=40))
def test_reading_never_fails_and_never_loses_a_separated_command(text: str) -> None:
    parsed = commands.parse(text)
    more = commands.parse(text + "\nrm x")
    if parsed is not None and not text.endswith(("\\", "<", ">", "&")) and more is not None:
        assert ("rm", "x") in more


@settings(deadline=None)
@given(st.lists(st.sampled_from(["git a", "ls", "rm -r x"]), min_size=1, max_size=5), st.data())
def test_commands_joined_in_any_way_are_all_found(lines: list[str], data: st.DataObject) -> None:
    text = lines[0]
    for line in lines[1:]:
        text += data.draw(st.sampled_from([" && ", ";", " | ", "\n", "||", " & "])) + line
    wrapped = data.draw(st.sampled_from(["{}", "({})", 'echo "$({})"', "echo `{}`"])).format(text)
    found = [commands.as_text(each) for each in commands.parse(wrapped) or ()]
    assert [each for each in found if not each.startswith("echo")] == lines
