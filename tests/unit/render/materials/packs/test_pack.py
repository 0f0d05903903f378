"""JSON as packs have it: comments, marks and commas do not matter, lines in errors are right, nothing is slow."""

import codecs
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from render.materials.packs.pack import loads
from render.materials.packs.troubles import FileTrouble

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(values)
def test_plain_json_means_what_it_says(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=1, ensure_ascii=False)):
        assert loads(text.encode()) == value


@given(st.text(alphabet='{}[],:"/*\\\n\t a1', max_size=40))
def test_any_text_is_json_or_a_trouble(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        try:
            loads(text.encode())
        except FileTrouble:
            return
    else:
        assert loads(text.encode()) == expected


def test_comments_commas_and_marks() -> None:
    text = '// first\n{"a//b": [1, 2, /* no */ 3,], /* all\nof it */ "c": "/* kept */", }\n// last'
    wanted = {"a//b": [1, 2, 3], "c": "/* kept */"}
    assert loads(text.encode()) == wanted
    assert loads(codecs.BOM_UTF8 + text.encode()) == wanted
    assert loads(codecs.BOM_UTF16_LE + text.encode("utf-16-le")) == wanted
    assert loads(codecs.BOM_UTF16_BE + text.encode("utf-16-be")) == wanted


def test_commas_and_comments_in_strings_stay() -> None:
    assert loads(b'{"a": ",]", "b": "\\",}"}') == {"a": ",]", "b": '",}'}


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{\n// one\n"a": 1 "b"}', "line 3"),
        (b'{"a": /* never closed', "no JSON"),
        (b"\xff\xfe\x00\xd8", "no text in utf-16"),
        (b"\xfa\xfb", "no text in utf-8 at byte 0"),
        (b"[" * 200_000, "nested too deeply"),
        (b"1" * 10_000, "no JSON"),
        (b"", "line 1"),
    ],
)
def test_errors_say_what_and_where(raw: bytes, words: str) -> None:
    with pytest.raises(FileTrouble, match=words):
        loads(raw)


@pytest.mark.parametrize("text", ['"\\"' * 200_000, '"\\' * 200_000, "/*" * 200_000, "," + " " * 500_000 + "x"])
def test_no_text_takes_longer_than_its_length(text: str) -> None:
    begin = time.process_time()
    with pytest.raises(FileTrouble):
        loads(text.encode())
    assert time.process_time() - begin < 5, "a quadratic reader took minutes"
