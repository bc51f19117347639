"""What runs at every start of the interpreter, and where keys may come from."""

from __future__ import annotations

import re
import site
import subprocess
from importlib.metadata import distributions
from pathlib import Path

import yaml

from benchmark_pipeline.settings import PROJECT_ROOT

CODE = re.compile(r"^import[ \t]", re.MULTILINE)
"""A line of a .pth file that Python executes."""
RECORDED = re.compile(r"^([^,\n]+\.pth),", re.MULTILINE)
KNOWN_CODE = {"coloredlogs.pth", "distutils-precedence.pth", "_virtualenv.pth", "a1_coverage.pth", "pywin32.pth"}
KNOWN_FAKES = re.compile(r"example|abcdefghijklmnop")
KEY = re.compile(
    r"(?:sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|AIza[0-9A-Za-z_-]{35})"
)


def stray(folder: Path, owned: set[Path]) -> list[str]:
    """Path files in a folder of packages that no installed distribution brought, or that run code nobody knows of."""
    problems = []
    for path in sorted(folder.glob("*.pth")):
        if path.resolve() not in owned:
            problems.append(f"{path.name}: belongs to no installed distribution")
        elif CODE.search(path.read_text(errors="replace")) and path.name not in KNOWN_CODE:
            problems.append(f"{path.name}: runs code at every start of the interpreter")
    return problems


def owned_files() -> set[Path]:
    return {
        Path(str(distribution.locate_file(name))).resolve()
        for distribution in distributions()
        for name in RECORDED.findall(distribution.read_text("RECORD") or "")
    }


def test_no_stray_path_file_runs_code_at_the_start_of_the_interpreter(tmp_path: Path) -> None:
    owned = owned_files()
    assert [problem for folder in site.getsitepackages() for problem in stray(Path(folder), owned)] == []
    planted = tmp_path / "helpful.pth"
    planted.write_text("import os; os.system('true')\n")
    assert stray(tmp_path, owned) == ["helpful.pth: belongs to no installed distribution"]
    assert stray(tmp_path, {planted.resolve()}) == ["helpful.pth: runs code at every start of the interpreter"]


def test_no_key_stands_in_the_repository() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT_ROOT, capture_output=True, check=False)
    names = listed.stdout.decode().split("\0") if listed.returncode == 0 else []
    texts = {
        name: (PROJECT_ROOT / name).read_bytes().decode("latin-1") for name in names if (PROJECT_ROOT / name).is_file()
    }
    found = {name: match[0] for name, text in texts.items() if (match := KEY.search(text))}
    # A key that a test makes up says so.
    assert {name: key for name, key in found.items() if not KNOWN_FAKES.search(key)} == {}


def test_models_name_the_variable_of_their_key_and_never_the_key() -> None:
    entries = yaml.safe_load((PROJECT_ROOT / "models.yaml").read_text())["models"]
    for entry in entries:
        assert re.fullmatch(r"[A-Z][A-Z0-9_]*", entry.get("api_key_env", "NONE"))
        assert not {name for name in entry if "api_key" in name or name == "token"} - {"api_key_env"}
