"""The table of sizes counts each thing once."""

import subprocess
from pathlib import Path

from scripts.size import Tree, table

FILES = {
    "dllm/long.py": "def long(x):\n" + "    x += 1\n" * 60 + "\n\ndef short(x):\n    return x\n",
    "dllm/pair/train/__main__.py": "print()\n",
    "dllm/branches.py": "def many(a):\n" + "".join(f"    if a == {i}:\n        return {i}\n" for i in range(20)),
    "ui/page.py": 'STYLE = "<style>p { top: 0 }</style>"\n',
    "assets/main.js": 'import { a } from "./wire/a.js";\n'
    'import {\n  b,\n} from "./features/race/b.js";\nimport("./late.js");\n',
    "assets/wire/a.js": 'export const a = 1;\nexport { c } from "../c.js";\n',
    "assets/c.js": "export const c = 1;\n",
    "assets/late.js": "export const late = 1;\n",
    "assets/vendor/signals.js": "x;\n" * 9,
    "dllm/features/race/b.js": 'import { a } from "../../wire/a.js";\n'
    'export const b = `<i style="left: ${a}%"></i>`;\n',
    "assets/looks/one.css": "/* a: b; */\na:hover {\n  top: 0 !important;\n  left: 0;\n}\n"
    "@media (min-width: 9px) {\n  b { left: 0 }\n}\n",
}


def test_every_row_of_a_small_tree(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "unmask").symlink_to("dllm")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    rows = {name.strip(): value for name, value in table(tmp_path)}
    counted = [name for name in FILES if "vendor" not in name and "train" not in name]
    lines = sum(FILES[name].count("\n") for name in counted)
    assert rows["dllm, ui, assets: lines of py, js, css"] == f"{lines} in {len(counted)} files"
    assert rows["how the pair is made (beside that)"] == "1 in 1 files"
    assert rows["modules that main.js loads"] == "4, 10 lines"
    assert rows["css: declarations, in scripts besides"] == "4, 1"
    assert rows["distinct"] == "4" and rows["!important"] == "1"
    assert rows["functions over 60 lines in dllm, ui"] == "1"
    assert rows["cyclomatic number over 20 (ruff)"] == "1"


def test_the_first_view_loads_few_scripts() -> None:
    tree = Tree(Path(__file__).parents[1])
    loaded = tree.loaded()
    lines = {name: tree.texts[name].count("\n") for name in loaded}
    longest = sorted(lines, key=lambda name: -lines[name])[:9]
    assert len(loaded) <= 110 and sum(lines.values()) <= 12_000, (len(loaded), sum(lines.values()), longest)
