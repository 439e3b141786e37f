"""Sentences with figures, as docs_figures.py yields them, in the text of a page: which lack, and how they are renewed."""

import functools
import re

import docs_figures
from docs_results import H200, Result

FIGURE = re.compile(r"\d[\d.,]* (?:%|ns|us|ms|s|[kMG]B(?:/s)?|TFLOP/s|MHz)(?!\w)|\d\.\d+ times")


def sentences(page, rows_of):
    @functools.cache
    def result(name):
        file = f"{name if '/' in name else f'{H200}/{name}'}.json"
        return Result(file, rows_of(file))
    return list(docs_figures.PAGES[page](result))


def like(sentence, every_number):
    """An expression for the sentence with other figures, and with line breaks where the page has them. A number without a
    decimal point or a unit behind it is only another one where `every_number` may be."""
    unit = r"(?:%|ns|us|ms|s|times)(?=$|[,.;:)])"
    words, parts = sentence.split(), []
    for i, word in enumerate(words):
        has_unit = i + 1 < len(words) and re.match(unit, words[i + 1])
        if i > 0 and re.match(unit, word) and re.search(r"\d", words[i - 1]):
            parts.append(re.sub(r"^(?:ns|us|ms|s)(?![a-z])", lambda _: "(?:ns|us|ms|s)", re.escape(word)))
        elif re.search(r"\d", word) and "^" not in word and "`" not in word and (every_number or has_unit or "." in word):
            number = r"[-+]?\d[\d.]*(?:e[-+]?\d+)?"
            at, part = 0, ""
            for match in re.finditer(number, word):
                part += re.escape(word[at:match.start()]) + r"[-+]?\d[\d.]*\d?(?:e[-+]?\d+)?"
                at = match.end()
            parts.append(part + re.escape(word[at:]))
        else:
            parts.append(re.escape(word))
    return r"(\s+)".join(parts)


def renewed(page, text, rows_of, marked):
    """The text with the figures of today's files in its sentences, where each is found once outside of the marks."""
    for sentence in sentences(page, rows_of):
        if sentence in " ".join(text.split()):
            continue
        for every_number in (False, True):
            taken = [match.span() for mark in marked for match in mark.finditer(text)]
            found = [match for match in re.finditer(like(sentence, every_number), text)
                     if not any(begin < match.end() and match.start() < end for begin, end in taken)]
            if len(found) == 1:
                gaps = [*found[0].groups(), ""]
                new = "".join(word + gap for word, gap in zip(sentence.split(), gaps))
                text = text[:found[0].start()] + new + text[found[0].end():]
                break
    return text


def problems(page, text, rows_of):
    """Sentences with figures that the page lacks, and the ends of its other sentences with
    figures, each with some words before. rows_of(file) are the measured cases of a result, as
    `bench show --format csv` prints them."""
    known = sentences(page, rows_of)
    covered = [match.span() for sentence in known
               for match in re.finditer(re.escape(sentence), text)]
    others = [text[max(0, figure.start() - 60):figure.end()] for figure in FIGURE.finditer(text)
              if not any(begin <= figure.start() < end for begin, end in covered)]
    return [sentence for sentence in known if sentence not in text], others
