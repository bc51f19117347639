"""The reading text of a document, and its way back to the bytes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark_pipeline.edgar.text import normalise


def _visible(text: str) -> str:
    return "".join(text.split())


def test_blocks_are_lines_and_inline_tags_vanish_inside_a_word():
    body = b"<div><p>ITEM 9A. CONTROLS AND PRO<a name='x'></a>CEDURES</p><p>We <b>con</b>cluded.<br>Yes.</p></div>"
    assert normalise(body).text == "ITEM 9A. CONTROLS AND PROCEDURES\nWe concluded.\nYes."


def test_entities_blanks_and_zero_width_characters_are_normalised():
    body = "<p>A&#160;&nbsp; B\u200b\u00adC &amp; D&#8217;s &#x201c;x&#148;</p>".encode()
    assert normalise(body).text == "A BC & D’s “x”"


def test_the_inline_xbrl_header_scripts_styles_and_comments_are_dropped():
    body = (
        b"<html><head><title>t</title></head><body><div style='display:none'><ix:header><ix:hidden>"
        b"<ix:nonNumeric name='dei:X'>hidden</ix:nonNumeric></ix:hidden></ix:header></div>"
        b"<!-- <p>comment</p> --><STYLE>p{}</STYLE><script>1<2</script><p>shown <ix:nonNumeric>42</ix:nonNumeric></p></body>"
    )
    assert normalise(body).text == "shown 42"


def test_cells_of_a_row_share_a_line_and_a_bullet_joins_its_item():
    body = b"<table><tr><td>Item 9A.</td><td>Controls</td></tr><tr><td><p>\x95</p></td><td><p>We did not.</p></td></tr></table>"
    assert normalise(body).text == "Item 9A. Controls\n• We did not."


def test_wrapped_lines_of_plain_text_become_one_block():
    line = "Our management has evaluated the effectiveness of internal control over"
    body = f"ITEM 9A.  CONTROLS AND PROCEDURES\n\n{line}\nfinancial reporting.\n<PAGE>\n\nITEM 9B.  OTHER INFORMATION\n".encode()
    assert normalise(body).text.split("\n") == [
        "ITEM 9A. CONTROLS AND PROCEDURES",
        f"{line} financial reporting.",
        "ITEM 9B. OTHER INFORMATION",
    ]


def test_text_inside_pre_keeps_its_lines():
    body = b"<html><body><pre>\nITEM 9A.  CONTROLS\n\nWe looked at the\ncontrols.\n</pre><p>After</p></body></html>"
    assert "ITEM 9A. CONTROLS\n" in normalise(body).text
    assert normalise(body).text.endswith("\nAfter")


def test_bytes_that_are_not_utf8_are_read_as_windows_1252():
    assert normalise(b"<p>management\x92s \x93view\x94 \x81</p>").text.startswith("management’s “view”")


def test_an_element_that_never_ends_hides_nothing():
    assert "kept" in normalise(b"<html><body><script>var a = 1; <p>kept</p>").text
    assert "kept" in normalise(b"<p>a</p><!-- cut short <p>kept</p>").text


def test_offsets_outside_the_text_are_refused():
    with pytest.raises(IndexError):
        normalise(b"<p>abc</p>").byte_offset(4)


def test_a_hundred_thousand_nested_tags_and_half_open_tags_are_read():
    assert normalise(b"<div>" * 100_000 + b"x" + b"</div>" * 100_000).text == "x"
    assert normalise(b"<p>x" + b"<a" * 200_000).text.startswith("x")
    assert normalise(b"<p>" + b"&amp" * 100_000).text == "&" * 100_000


_PIECES = st.sampled_from(
    [b"<p>", b"</p>", b"<td>", b"<b>", b"word ", b"&amp;", b"&#160;", b"\xe2\x80\x99", b"\x92", b"<!-- c -->", b"\n\n",
     b"<pre>", b"</pre>", b"<script>", b"</script>", b"<", b">", b"&", b"\xff", b"Item 9A. ", b"<ix:header>", b"</ix:header>"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=60), st.data())
@settings(max_examples=300, deadline=None)
def test_every_visible_character_leads_back_to_its_own_bytes(pieces, data):
    body = b"".join(pieces)
    text = normalise(body)
    assert normalise(body).text == text.text
    if text.text:
        index = data.draw(st.integers(0, len(text.text) - 1))
        start, end = text.byte_range(index, index + 1)
        assert 0 <= start <= end <= len(body)
        if not text.text[index].isspace():
            raw = body[start:end]
            again = raw.decode("utf-8" if text.encoding == "utf-8" else "cp1252", "replace")
            assert again == text.text[index] or again.startswith("&")


@given(st.binary(max_size=400))
@settings(max_examples=300, deadline=None)
def test_any_bytes_give_a_text_and_ordered_offsets(body):
    text = normalise(b"<p>" + body)
    offsets = [text.byte_offset(i) for i in range(len(text.text))]
    assert offsets == sorted(offsets)
