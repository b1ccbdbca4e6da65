"""Comments of exported files follow the language; what is computed does not."""

import re

import pytest

import dalembert as da
from dalembert.exchange.export import TARGETS
from dalembert.language import speaking

ENDINGS = {"c": ".c", "matlab": ".m", "modelica": ".mo", "latex": ".tex", "wasm": ".wasm"}  # the others: .py
CHINESE = re.compile(r"[\u4e00-\u9fff]")
COMMENTS = {
    ".py": r'#[^\n]*|"""(.|\n)*?"""|^MODEL.*',
    ".m": r"%[^\n]*",
    ".tex": r"(?m)^% [^\n]*",
    ".mo": r'//[^\n]*|^model .*',
    ".c": r"/\*(.|\n)*?\*/|//[^\n]*",
}  # fmt: skip
COMMENTS |= {".h": COMMENTS[".c"], ".mjs": COMMENTS[".c"], ".cpp": COMMENTS[".c"]}


def exported(folder, to, what, language):
    ending = ".cpp" if (to, what) == ("c", "motion") else ENDINGS.get(to, ".py")
    folder.mkdir()
    with speaking(language):
        files = da.gallery("double-pendulum").export(to, folder / f"pendulum{ending}", what=what)
    return {file.suffix: file.read_bytes() for file in files}


@pytest.mark.parametrize("to, what", [(to, what) for to, kinds in TARGETS.items() if to != "fmu" for what in kinds])
def test_comments_in_chinese(tmp_path, to, what):
    english, chinese, again = (exported(tmp_path / str(i), to, what, lang) for i, lang in enumerate(("en", "zh", "zh")))
    assert chinese == again
    for ending, data in chinese.items():
        if ending == ".wasm":
            assert data == english[ending]
            continue
        texts = [part[ending].decode() for part in (english, chinese)]
        assert not CHINESE.search(texts[0])
        assert CHINESE.search(texts[1])
        said, code = re.search(COMMENTS[ending], texts[1]), [re.sub(COMMENTS[ending], "", text) for text in texts]
        assert said
        assert code[0] == code[1]
