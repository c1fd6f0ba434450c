"""Policies, rules, grants: what runs, what asks, what is denied, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.errors import ConfigError, StopTurn, ToolDeniedError, ToolRejected
from workbench.registry import (
    ChangeEvent,
    Decision,
    Grant,
    GrantScope,
    PermissionPolicy,
    PermissionRequest,
    PermissionResult,
    PermissionRule,
    Tool,
    ToolMetadata,
    ToolRegistry,
)
from workbench.registry.matching import exactly

ALLOW, ASK, DENY = PermissionResult.ALLOW, PermissionResult.ASK, PermissionResult.DENY


class Recorder:
    """A registry with two tools that count their runs, and the events it tells."""

    def __init__(self, policy: PermissionPolicy | None = None, **metadata: Any) -> None:
        self.runs: list[Any] = []
        self.events: list[ChangeEvent] = []
        self.registry = ToolRegistry(policy)
        self.registry.register(self.run, namespace="shell", metadata=ToolMetadata(**metadata))
        self.registry.register(self.write, namespace="files", metadata=ToolMetadata(**metadata))
        self.registry.on_change(self.events.append)

    def run(self, command: str = "ls") -> str:
        self.runs.append(command)
        return "ran"

    def write(self, path: str = "a", lines: list[str] = []) -> str:  # noqa: B006 - never changed
        self.runs.append(path)
        return "wrote"

    def result(self, name: str, **arguments: Any) -> PermissionResult:
        return self.registry.evaluate(name, arguments).result

    def told(self) -> list[str]:
        return [each.event_type.value for each in self.events]


def rule(result: PermissionResult, tool: str = "*", **arguments: str) -> PermissionRule:
    return PermissionRule(result, tool, arguments=arguments)


@pytest.mark.parametrize(
    ("policy", "tags", "result", "reason"),
    [
        ("open", {"destructive"}, ALLOW, ""),
        ("careful", {"read_only"}, ALLOW, "read-only"),
        ("careful", {"read_only", "network"}, ALLOW, "read-only"),
        ("careful", {"read_only", "destructive"}, ASK, "destructive"),
        ("careful", {"file_system"}, ASK, "writes"),
        ("careful", {"network"}, ASK, "network"),
        ("careful", {"privileged", "network"}, ASK, "privileged"),
        ("careful", set(), ASK, "not marked read-only"),
        ("strict", {"read_only"}, ASK, "every call asks"),
    ],
)
def test_the_three_policies_decide_by_tags(
    policy: str, tags: set[str], result: PermissionResult, reason: str
) -> None:
    recorder = Recorder(getattr(PermissionPolicy, policy)(), tags=tags)
    decision = recorder.registry.evaluate("shell.run", {})
    assert (decision.result, decision.reason) == (result, reason)


def test_the_first_rule_that_fits_decides() -> None:
    policy = PermissionPolicy(
        (rule(ALLOW, "files.*", path="build/*"), rule(DENY, "files.*"), rule(ASK, "shell-run")), ALLOW
    )
    recorder = Recorder(policy)
    assert recorder.result("files.write", path="build/x") is ALLOW
    assert recorder.result("files.write", path="src/x") is DENY
    assert recorder.result("shell.run", command="ls") is ASK


def test_rules_put_ahead_of_a_policy_come_first() -> None:
    policy = PermissionPolicy.open().with_rules([rule(DENY, "shell.*")])
    assert Recorder(policy).result("shell.run") is DENY
    assert Recorder(policy).result("files.write") is ALLOW


def test_a_rule_that_allows_wants_all_its_tags_and_one_that_denies_any() -> None:
    both = frozenset({"network", "slow"})
    allowing = PermissionPolicy((PermissionRule(ALLOW, tags=both),))
    denying = PermissionPolicy((PermissionRule(DENY, tags=both),))
    assert Recorder(allowing, tags={"network"}).result("shell.run") is ASK
    assert Recorder(allowing, tags={"network", "slow"}).result("shell.run") is ALLOW
    assert Recorder(denying, tags={"network"}).result("shell.run") is DENY


@pytest.mark.parametrize(
    ("command", "allowed"),
    [
        ("git status", True),
        ("git", True),
        ("git status && git diff", True),
        ("git status && rm -rf /", False),
        ("git status; rm x", False),
        ("git status | sh", False),
        ("git log $(rm x)", False),
        ("git log `rm x`", False),
        ("git log\nrm x", False),
        ("git log > ~/.bashrc", False),
        ("GIT_SSH=evil git fetch", False),
        ("gitx status", False),
        ("git 'open", False),
        ("git $X", True),
        ("git; $A x", False),
        ("git${IFS}push", False),
        ("", False),
    ],
)
def test_allowing_git_allows_nothing_else(command: str, allowed: bool) -> None:
    recorder = Recorder(PermissionPolicy((rule(ALLOW, "shell.run", command="git *"),)))
    assert (recorder.result("shell.run", command=command) is ALLOW) is allowed


PUSH = "git push origin"


@pytest.mark.parametrize(
    ("granted", "command", "covered"),
    [
        (PUSH, PUSH, True),
        (PUSH, "git  push 'origin'", True),
        (PUSH, "git push origin # as ever", True),
        (PUSH, "git push origin 2>&1", True),
        (PUSH, "git push", False),
        (PUSH, "git push origin --force", False),
        (PUSH, "git push --force origin", False),
        (PUSH, "git origin push", False),
        (PUSH, "git 'push origin'", False),
        (PUSH, "sudo git push origin", False),
        (PUSH, "X=1 git push origin", False),
        (PUSH, "git push origin; git push origin", False),
        (PUSH, "git push origin > log", False),
        (PUSH, "git push origin && rm x", False),
        ("rm '*'", "rm *", False),
        ("rm '~/a'", "rm ~/a", False),
        ("echo '$A'", "echo $A", False),
        ("'A=1' x", "A=1 x", False),
        ("'if' x", "if x", False),
        ("a && b", "a || b", False),
        ("a && b", "a && b", True),
        ("rm $A", "rm $A", True),
        ("git push *", "git push", True),
        ("git push *", "git push --force", True),
        ("git push *", "git pull", False),
    ],
)
def test_a_command_without_wildcards_is_allowed_as_it_is_and_a_pattern_says_what_it_covers(
    granted: str, command: str, covered: bool
) -> None:
    pattern = granted if granted.endswith(" *") else exactly(granted)
    by_grant = Recorder(PermissionPolicy.strict())
    by_grant.registry.grant(Grant("shell.run", {"command": pattern}))
    by_rule = Recorder(PermissionPolicy((rule(ALLOW, command=pattern),)))
    for recorder in (by_grant, by_rule):
        assert (recorder.result("shell.run", command=command) is ALLOW) is covered


def test_a_command_without_wildcards_denies_and_asks_with_more_words_too() -> None:
    recorder = Recorder(PermissionPolicy((rule(DENY, command="git push"),), ALLOW))
    assert recorder.result("shell.run", command="git push --force") is DENY
    assert recorder.result("shell.run", command="git pull") is ALLOW


@pytest.mark.parametrize(
    ("command", "denied"),
    [
        ("rm -rf /", True),
        ("ls && sudo rm x", True),
        ("bash -c 'cd / && /bin/rm x'", True),
        ("echo $(rm x)", True),
        ("echo 'unreadable", True),
        ("A=rm; $A x", True),
        ("rm${IFS}x", True),
        ('$0 -c "rm x"', True),
        ('"$A" x', True),
        ("`echo rm` x", True),
        ("$(echo rm) x", True),
        ("if true; then $A x; fi", True),
        ("X=1 $A x", True),
        ("/bin/r? x", True),
        ("{rm,x}", True),
        ("sudo -u root $A x", True),
        ("env X=1 $A x", True),
        ("timeout 5 $A x", True),
        ("find . -exec $A x ;", True),
        ("ssh host $A x", True),
        ("sh -c '$A x'", True),
        ('eval "$A x"', True),
        ("sudo sh -c 'echo `x'", True),
        ("ls rm", False),
        ("echo 'rm x'", False),
        ("echo $HOME", False),
        ("'$A' x", False),
        ("[ -f $A ]", False),
        ("A=$B ls *.py", False),
        ("find . -name *.py", False),
        ("timeout 5 make $TARGET", False),
        ("sh -c 'ls $HOME'", False),
    ],
)
def test_denying_rm_denies_it_wherever_it_hides(command: str, denied: bool) -> None:
    recorder = Recorder(PermissionPolicy((rule(DENY, command="rm *"),), ALLOW))
    assert (recorder.result("shell.run", command=command) is DENY) is denied


@pytest.mark.parametrize("path", ["/etc/passwd", "//etc/passwd", "///etc/passwd", "/tmp/..//etc/passwd"])
def test_a_denied_folder_is_denied_however_its_path_is_written(path: str) -> None:
    recorder = Recorder(PermissionPolicy((rule(DENY, path="/etc/*"),), ALLOW))
    assert recorder.result("files.write", path=path) is DENY


def test_a_parameter_may_be_declared_to_hold_shell_text() -> None:
    registry = ToolRegistry(PermissionPolicy((rule(ALLOW, line="git *"),)))
    registry.register(lambda line: line, name="do", metadata=ToolMetadata(shell_arguments={"line"}))
    assert registry.evaluate("do", {"line": "git a; rm b"}).result is ASK
    assert registry.evaluate("do", {"line": "git a; git b"}).result is ALLOW


def test_a_command_given_as_words_is_one_command() -> None:
    registry = ToolRegistry(PermissionPolicy((rule(ALLOW, cmd="git *"),)))
    registry.register(lambda cmd: cmd, name="do")
    assert registry.evaluate("do", {"cmd": ["git", "log", "a; rm b"]}).result is ALLOW
    assert registry.evaluate("do", {"cmd": ["rm", "x"]}).result is ASK
    assert registry.evaluate("do", {"cmd": ["git log", "rm x"]}).result is ASK


def test_two_dots_do_not_lead_out_of_an_allowed_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    allowing = Recorder(PermissionPolicy((rule(ALLOW, path="src/*"),)))
    assert allowing.result("files.write", path="src/a") is ALLOW
    assert allowing.result("files.write", path="src/../secret") is ASK
    assert allowing.result("files.write", path="src/b/../a") is ALLOW
    denying = Recorder(PermissionPolicy((rule(DENY, path="secrets/*"),), ALLOW))
    for path in ("secrets/a", "./secrets/a", "x/../secrets/a", str(tmp_path / "secrets" / "a")):
        assert denying.result("files.write", path=path) is DENY, path
    assert denying.result("files.write", path="public/a") is ALLOW


def test_an_argument_left_out_counts_with_its_default() -> None:
    recorder = Recorder(PermissionPolicy((rule(DENY, path="a"),), ALLOW))
    assert recorder.result("files.write") is DENY
    assert recorder.result("files.write", path="b") is ALLOW


def test_a_list_fits_an_allowing_pattern_only_as_a_whole() -> None:
    allowing = Recorder(PermissionPolicy((rule(ALLOW, lines="a*"),)))
    denying = Recorder(PermissionPolicy((rule(DENY, lines="a*"),), ALLOW))
    assert allowing.result("files.write", lines=["a", "b"]) is ASK
    assert allowing.result("files.write", lines=["a", "ab"]) is ALLOW
    assert allowing.result("files.write", lines=[]) is ASK
    assert denying.result("files.write", lines=["b", "a"]) is DENY


@pytest.mark.parametrize(
    ("made", "phrase"),
    [
        (PermissionRule(ASK, reason="look first"), "look first"),
        (PermissionRule(DENY, arguments={"command": "rm *"}), "command: rm *"),
        (PermissionRule(ASK, tags=frozenset({"file_system"})), "file-system"),
        (PermissionRule(ASK), "a rule asks"),
    ],
)
def test_a_rule_says_why_in_a_few_words(made: PermissionRule, phrase: str) -> None:
    decision = Recorder(PermissionPolicy((made,)), tags={"file_system"}).registry.evaluate(
        "shell.run", {"command": "rm x"}
    )
    assert (decision.reason, decision.rule) == (phrase, made)


ANSWERS_THAT_ARE_NO = [None, False, 1, "allow", "yes", DENY, ASK, object(), [], Decision(ASK), Decision(DENY)]


@pytest.mark.parametrize("answer", ANSWERS_THAT_ARE_NO, ids=lambda each: repr(each).partition(" at 0x")[0])
def test_only_an_explicit_yes_runs_a_call_that_asks(answer: object) -> None:
    recorder = Recorder(PermissionPolicy.strict())
    recorder.registry.permission_handler = lambda request: answer
    with pytest.raises(ToolDeniedError):
        recorder.registry.call("shell.run", {})
    assert recorder.runs == []
    assert recorder.told() == ["permission_asked", "permission_denied"]
    assert recorder.registry.statistics("shell.run").denied == 1
    assert recorder.registry.statistics("shell.run").calls == 0


@pytest.mark.parametrize("answer", [True, ALLOW, Decision(ALLOW)], ids=repr)
async def test_a_yes_runs_it_whether_the_handler_is_async_or_not(answer: object) -> None:
    recorder = Recorder(PermissionPolicy.strict())
    asked: list[PermissionRequest] = []

    async def handler(request: PermissionRequest) -> object:
        asked.append(request)
        return answer

    recorder.registry.permission_handler = handler
    assert recorder.registry.call("shell.run", {}, call_id="c1", origin=("a",)) == "ran"
    assert await recorder.registry.acall("shell.run", {}) == "ran"
    recorder.registry.permission_handler = lambda request: answer
    assert recorder.registry.call("shell.run", {}) == "ran"
    assert await recorder.registry.acall("shell.run", {"command": "w"}) == "ran"
    assert recorder.runs == ["ls", "ls", "ls", "w"]
    assert (asked[0].tool_name, asked[0].call_id, asked[0].origin) == ("shell.run", "c1", ("a",))
    assert asked[0].reason == "every call asks"
    assert recorder.told() == ["permission_asked"] * 4


async def test_without_a_handler_what_asks_is_denied() -> None:
    recorder = Recorder(PermissionPolicy.strict())
    with pytest.raises(ToolDeniedError, match="nobody can be asked"):
        recorder.registry.call("shell.run", {})
    with pytest.raises(ToolDeniedError):
        await recorder.registry.acall("shell.run", {})
    assert recorder.runs == []


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ValueError("broken"), "asking failed"),
        (ToolRejected("not today"), "not today"),
        (ToolDeniedError("no way"), "no way"),
    ],
)
async def test_a_handler_that_raises_means_no(error: Exception, says: str) -> None:
    recorder = Recorder(PermissionPolicy.strict())

    def handler(request: PermissionRequest) -> bool:
        raise error

    recorder.registry.permission_handler = handler
    with pytest.raises(ToolDeniedError, match=says):
        recorder.registry.call("shell.run", {})
    with pytest.raises(ToolDeniedError, match=says):
        await recorder.registry.acall("shell.run", {})
    assert recorder.runs == []


def test_a_stop_from_the_handler_stays_a_stop() -> None:
    recorder = Recorder(PermissionPolicy.strict())

    def handler(request: PermissionRequest) -> bool:
        raise StopTurn("enough")

    recorder.registry.permission_handler = handler
    with pytest.raises(StopTurn):
        recorder.registry.call("shell.run", {})
    assert recorder.told() == ["permission_asked", "permission_denied"]


@pytest.mark.parametrize(
    ("result", "approved", "runs", "told"),
    [
        (ASK, True, True, ["permission_asked"]),
        (ASK, False, False, ["permission_asked", "permission_denied"]),
        (ALLOW, True, True, []),
        (ALLOW, False, False, ["permission_denied"]),
        (ALLOW, None, True, []),
        (DENY, True, False, ["permission_denied"]),
        (DENY, None, False, ["permission_denied"]),
        (ASK, 1, False, ["permission_asked", "permission_denied"]),
    ],
)
def test_an_answer_in_advance_holds_unless_the_policy_denies(
    result: PermissionResult, approved: Any, runs: bool, told: list[str]
) -> None:
    recorder = Recorder(PermissionPolicy(default=result))
    if runs:
        recorder.registry.call("shell.run", {}, approved=approved)
    else:
        with pytest.raises(ToolDeniedError):
            recorder.registry.call("shell.run", {}, approved=approved)
    assert bool(recorder.runs) is runs
    assert recorder.told() == told


def test_evaluating_asks_nobody_tells_nobody_and_uses_nothing_up() -> None:
    recorder = Recorder(PermissionPolicy.strict())
    recorder.registry.grant(Grant("shell.run", scope=GrantScope.ONCE))
    recorder.events.clear()
    for _ in range(3):
        assert recorder.result("shell.run") is ALLOW
    assert recorder.events == []
    assert len(recorder.registry.grants) == 1


def test_a_grant_for_once_lets_one_call_through() -> None:
    recorder = Recorder(PermissionPolicy.strict())
    recorder.registry.grant(Grant("shell.*", scope=GrantScope.ONCE))
    assert recorder.registry.call("shell.run", {}) == "ran"
    with pytest.raises(ToolDeniedError):
        recorder.registry.call("shell.run", {})
    assert recorder.registry.grants == ()


def test_a_lasting_grant_is_used_before_one_for_once() -> None:
    recorder = Recorder(PermissionPolicy.strict())
    recorder.registry.grant(Grant("shell.*", scope=GrantScope.ONCE))
    recorder.registry.grant(Grant("shell.run", scope=GrantScope.SESSION))
    recorder.registry.call("shell.run", {})
    assert [each.scope.value for each in recorder.registry.grants] == ["once", "session"]


def test_grants_are_listed_told_and_revoked() -> None:
    recorder = Recorder(PermissionPolicy.strict())
    grant = Grant("shell.run", {"command": "git *"}, GrantScope.PROJECT)
    assert recorder.registry.grant(grant) is True
    assert recorder.registry.grant(grant) is False
    assert recorder.registry.grants == (grant,)
    assert recorder.result("shell.run", command="git log") is ALLOW
    assert recorder.result("shell.run", command="git log && rm x") is ASK
    assert recorder.registry.revoke(grant.id) is True
    assert recorder.registry.revoke(grant) is False
    assert recorder.result("shell.run", command="git log") is ASK
    assert [each.metadata["fields"] for each in recorder.events] == [["grants"], ["grants"]]


def test_no_grant_beats_a_rule_that_denies() -> None:
    policy = PermissionPolicy((rule(ASK, "shell.*"), rule(DENY, command="rm *")))
    recorder = Recorder(policy)
    recorder.registry.grant(Grant("*"))
    assert recorder.result("shell.run", command="ls") is ALLOW
    assert recorder.result("shell.run", command="rm x") is DENY


@pytest.mark.parametrize("text", ["git a && rm b", "a[1]* ?", "echo 'open", "src/../x", "*"])
def test_a_grant_for_one_text_fits_that_text_only(text: str) -> None:
    recorder = Recorder(PermissionPolicy.strict())
    for name, key in (("shell.run", "command"), ("files.write", "path")):
        recorder.registry.grant(Grant(name, {key: exactly(text)}))
        assert recorder.result(name, **{key: text}) is (
            ASK if text == "src/../x" and key == "path" else ALLOW
        )
        assert recorder.result(name, **{key: text + "x"}) is ASK
        assert recorder.result(name, **{key: "z"}) is ASK


def test_a_grant_covers_no_call_that_gives_an_argument_which_it_does_not_name() -> None:
    recorder = Recorder(PermissionPolicy.strict())
    recorder.registry.grant(Grant("files.write", {"path": "a"}))
    assert recorder.result("files.write", path="a") is ALLOW
    assert recorder.result("files.write", path="a", lines=["x"]) is ASK
    assert recorder.result("files.write", path="a", lines=[]) is ASK
    assert recorder.result("files.write", lines=["x"]) is ASK


@pytest.mark.parametrize("others", [{"lines": "*"}, {"*": "*"}])
def test_a_grant_may_say_that_further_arguments_do_not_matter(others: dict[str, str]) -> None:
    recorder = Recorder(PermissionPolicy.strict())
    recorder.registry.grant(Grant("files.write", {"path": "a", **others}))
    assert recorder.result("files.write", path="a", lines=["x"]) is ALLOW
    assert recorder.result("files.write", path="a") is ALLOW
    assert recorder.result("files.write", path="b", lines=["x"]) is ASK


def test_further_arguments_may_have_a_pattern_of_their_own() -> None:
    recorder = Recorder(PermissionPolicy.strict())
    recorder.registry.grant(Grant("files.write", {"path": "a", "*": "x*"}))
    assert recorder.result("files.write", path="a", lines=["x1", "x2"]) is ALLOW
    assert recorder.result("files.write", path="a", lines=["x1", "y"]) is ASK
    recorder.registry.grant(Grant("shell.run", {"*": "git *"}))
    assert recorder.result("shell.run", command="git status") is ALLOW
    assert recorder.result("shell.run", command="git status && rm -rf /") is ASK


def test_a_grant_for_a_server_s_tool_covers_no_argument_that_its_schema_leaves_open() -> None:
    recorder = Recorder(PermissionPolicy.strict())
    schema = {"type": "object", "properties": {"q": {"type": "string"}, "deep": {"type": "boolean"}}}
    recorder.registry.register(Tool.from_schema(print, name="find", parameters=schema))
    recorder.registry.grant(Grant("find", {"q": "x", "deep": "*"}))
    assert recorder.result("find", q="x") is ALLOW
    assert recorder.result("find", q="x", deep=True) is ALLOW
    assert recorder.result("find", q="x", more=1) is ASK
    assert recorder.result("find", deep=True) is ASK


def test_a_grant_survives_the_trip_through_plain_data() -> None:
    grant = Grant("shell.run", {"command": "git *"}, GrantScope.PROJECT)
    again = Grant.from_dict(grant.to_dict())
    assert again.to_dict() == grant.to_dict()


@pytest.mark.parametrize(
    "wrong",
    [{}, {"tool": 3}, {"scope": "ever"}, {"arguments": ["x"]}, {"arguments": {"a": 1}}, {"created": "x"}],
)
def test_what_is_not_a_grant_is_refused(wrong: dict[str, Any]) -> None:
    data = {**Grant("a").to_dict(), **wrong} if wrong else {}
    with pytest.raises(ConfigError):
        Grant.from_dict(data)


def test_a_policy_is_read_from_plain_rules() -> None:
    policy = PermissionPolicy.from_rules(
        [
            {"deny": "shell.*", "arguments": {"command": "rm *"}, "reason": "never"},
            {"result": "allow", "tool": "files.*", "tags": "read_only", "without_tags": ["slow"]},
            {"ask": "*"},
        ],
        default="deny",
    )
    assert policy.rules[0] == PermissionRule(DENY, "shell.*", arguments={"command": "rm *"}, reason="never")
    assert policy.rules[1].tags == {"read_only"}
    assert policy.rules[1].without_tags == {"slow"}
    assert policy.default is DENY


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("deny", "must be a mapping"),
        ({"tool": "x"}, "it says nothing"),
        ({"result": "maybe"}, "it says 'maybe'"),
        ({"deny": "x", "allow": "y"}, "says it once"),
        ({"deny": "x", "tool": "y"}, "says it once"),
        ({"deny": 3}, "tool must be a text"),
        ({"deny": "x", "argument": {}}, "unknown key argument"),
        ({"deny": "x", "arguments": "rm"}, "arguments must map"),
        ({"deny": "x", "arguments": {"a": 1}}, "the pattern of a must be a text"),
        ({"deny": "x", "tags": 3}, "tags must be a list"),
        ({"deny": "x", "reason": ""}, "reason must be a text"),
    ],
)
def test_a_wrong_rule_is_named_by_its_number(wrong: object, says: str) -> None:
    with pytest.raises(ConfigError, match=rf"^rule 2: .*{says}"):
        PermissionPolicy.from_rules([{"allow": "*"}, wrong])
    with pytest.raises(ConfigError, match=r"^default: "):
        PermissionPolicy.from_rules([], default="perhaps")


def test_a_result_may_be_given_as_text_and_denies_all_the_same() -> None:
    told: Any = "deny"
    recorder = Recorder(PermissionPolicy(default=told))
    with pytest.raises(ToolDeniedError):
        recorder.registry.call("shell.run", {}, approved=True)
    recorder.registry.policy = PermissionPolicy((PermissionRule(told, "shell.*"),), default=ALLOW)
    with pytest.raises(ToolDeniedError, match="denied by a rule"):
        recorder.registry.call("shell.run", {}, approved=True)
    assert recorder.runs == []
    assert Decision(told).result is DENY
    assert PermissionRule(told).result is DENY


@pytest.mark.parametrize("nonsense", ["yes", "DENY", "", None, True, 0, ["deny"]])
def test_anything_that_is_no_result_is_refused_where_it_is_written(nonsense: Any) -> None:
    with pytest.raises(ConfigError, match="must say allow, ask or deny"):
        PermissionPolicy(default=nonsense)
    with pytest.raises(ConfigError, match="must say allow, ask or deny"):
        PermissionRule(nonsense)
    with pytest.raises(ConfigError, match="must say allow, ask or deny"):
        Decision(nonsense)


def test_a_stop_while_asking_is_told_as_a_denial_and_stays_a_stop() -> None:
    def stop(request: PermissionRequest) -> bool:
        raise StopTurn("enough")

    recorder = Recorder(PermissionPolicy.strict())
    recorder.registry.permission_handler = stop
    with pytest.raises(StopTurn, match="enough") as caught:
        recorder.registry.call("shell.run", {})
    assert caught.value.__cause__ is None
    assert recorder.events[-1].reason == "stopped"


def test_a_handler_whose_error_has_no_text_denies() -> None:
    class SilentError(Exception):
        def __str__(self) -> str:
            raise LookupError("no words")

    def fail(request: PermissionRequest) -> bool:
        raise SilentError

    recorder = Recorder(PermissionPolicy.strict())
    recorder.registry.permission_handler = fail
    with pytest.raises(ToolDeniedError, match=r"asking failed .SilentError: .its text cannot be shown"):
        recorder.registry.call("shell.run", {})


def test_the_caller_may_bring_its_own_way_to_wait_for_an_async_handler() -> None:
    async def ask(request: PermissionRequest) -> bool:
        return True

    def wait(answer: Any) -> Any:
        waited.append("waited")
        answer.close()
        return True

    waited: list[str] = []
    recorder = Recorder(PermissionPolicy.strict())
    recorder.registry.permission_handler = ask
    assert recorder.registry.call("shell.run", {}, waiter=wait) == "ran"
    assert waited == ["waited"]


@pytest.mark.parametrize(("answer", "said"), [(None, "nothing"), ("yes", "str"), (1, "int")])
def test_an_answer_that_is_neither_yes_nor_no_is_named(answer: Any, said: str) -> None:
    registry = ToolRegistry(PermissionPolicy((), PermissionResult.ASK))
    registry.register(len, name="size")
    registry.permission_handler = lambda request: answer
    with pytest.raises(ToolDeniedError, match=f"answered with {said}, which is no explicit yes"):
        registry.call("size", {"obj": "x"})
