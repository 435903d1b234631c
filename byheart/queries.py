"""What a question says: nothing at all, too little to be looked up alone, or enough."""

from __future__ import annotations

import enum
import re
from typing import Final

from byheart.tokens import Analyzer, fold


class Says(enum.Enum):
    """How much of its subject a query names."""

    NOTHING = "nothing"  # thanks, an emoji: there is nothing to recall
    LITTLE = "little"  # why? and the second one?: only the last exchange tells the subject
    ENOUGH = "enough"


# What people say to each other without asking anything. Folded; a query of these alone recalls nothing.
_PLEASANTRIES: Final = frozenset(
    """
    ok okay k kk thx thanks thank you ty cheers great good nice cool super perfect awesome amazing fine sure right
    alright yes yeah yep yup no nope nah hi hello hey bye goodbye goodnight morning evening night lol haha hahaha
    wow oh ah hm hmm hmmm mm mhm aha sorry please welcome exactly indeed absolutely definitely agreed understood
    done got it that s is was so very much a lot all well really works sounds love i see for the again then just
    danke bitte ja nein gut super prima gerne hallo tschuss merci oui non salut gracias si vale hola adios de nada
    grazie ciao bene prego obrigado obrigada sim nao спасибо да нет хорошо ладно ок привет пока понятно ясно
    谢谢 好的 好 嗯 是的 ありがとう はい いいえ 了解 감사합니다 네 ขอบคุณ धन्यवाद شكرا نعم teşekkurler tesekkurler evet tamam
    """.split()
)
_BARE: Final = frozenset("thanks thank thx ok okay k great good nice cool fine sure yes no".split())
# Words that point back at what was just said, and words that ask without naming.
_POINTING: Final = frozenset(
    """
    it its that this these those they them their theirs he him his she her hers there then one ones other others
    another second third first last former latter same else both neither more rest next previous it's that's
    """.split()
)
_VAGUE: Final = frozenset(
    """
    recommend suggest advise advice think thought mean explain example detail details elaborate continue tell say
    said know remember remind do did go happen happened happens work works help cost costs long much many often far
    old big kind sort type name called option options alternative alternatives idea ideas opinion reason way sure
    exactly again instead anything something everything nothing thing things stuff sense difference better best
    worse worst price number part version point step steps time day date place person people try use make take
    need want like look sound feel get give got change changed only even still already maybe actually ok okay please
    also well so but and or how what why who whom which where when come reason short now remind
    """.split()
)
_LEAN: Final = (0.7, 0.5, 0.3, 0.0)  # by how many words of the query name something
_NAME: Final = re.compile(r"(?<=[^.!?\s]\s)[A-Z][a-z]+")  # a capital inside a sentence
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def says(query: str) -> Says:
    """How much ``query`` says about its subject.

    >>> says("thanks!"), says("why?"), says("what is Anna's dog called?")
    (<Says.NOTHING: 'nothing'>, <Says.LITTLE: 'little'>, <Says.ENOUGH: 'enough'>)
    """
    words = _WORD.findall(fold(query[:2000]))
    if not words or (len(words) <= 8 and "?" not in query and all(word in _PLEASANTRIES for word in words)):
        return Says.NOTHING
    if len(words) == 1 and words[0] in _BARE:
        return Says.NOTHING
    if len(words) > 20:
        return Says.ENOUGH
    return Says.LITTLE if not _naming(words) else Says.ENOUGH


def lean(query: str) -> float:
    """How much of the subject of ``query`` must come from the last exchange: from 0 to 1.

    >>> lean("why?") > lean("and the plastic one?") > lean("What did Dr. Sommer's drops do to the cat?")
    True
    """
    words = _WORD.findall(fold(query[:2000]))
    naming = sum(map(_weight, _naming(words))) + len(_NAME.findall(query))
    length = sum(map(_weight, words))
    if length > 12:
        return 0.0
    pointing = any(word in _POINTING for word in words)
    return _LEAN[min(naming, 3)] if pointing or length <= 5 else _LEAN[min(naming + 1, 3)]


def _naming(words: list[str]) -> list[str]:
    """The words that name something, as opposed to asking, pointing back or filling."""
    return [word for word in words if word not in _POINTING and word not in _VAGUE and Analyzer().terms(word)]


def _weight(word: str) -> int:
    """How many words a word is: more than one where the script puts no space between them."""
    return max(1, len(Analyzer().terms(word)) // 3)
