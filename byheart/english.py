"""English words brought to a common form: function words left out, inflections and common derivations removed.

A recall stemmer for retrieval, after the idea of suffix stripping (M. F. Porter, "An algorithm for suffix
stripping", Program 14(3), 1980), but shorter, with a table of irregular forms, and going one step further
than Porter where conversation does: the one who moves (*mover*) meets *moving*.
"""

from __future__ import annotations

STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any anyone anything are aren't as at be because been before
    being below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't done
    down during each either else ever every few for from further get gets getting got had hadn't has hasn't have
    haven't having he he'd he'll he's her here here's hers herself him himself his how how's i i'd i'll i'm i've
    if in into is isn't it it'd it'll it's its itself just let let's me might more most much must my myself
    neither no nor not of off on once one only or other others ought our ours ourselves out over own same shall
    she she'd she'll she's should shouldn't so some someone something such than that that's the their theirs
    them themselves then there there's these they they'd they'll they're they've this those though through to
    too under until up upon us very was wasn't we we'd we'll we're we've were weren't what what's when when's
    where where's whether which while who who's whom whose why why's will with within without won't would
    wouldn't yes yet you you'd you'll you're you've your yours yourself yourselves yeah ya gonna wanna
    hey hi hello wow really thing things
    dont doesnt didnt isnt wasnt cant couldnt wont wouldnt havent hasnt im ive id ill youre thats whats
    """.split()
)
"""Words that say nothing about a subject; they are neither indexed nor asked for."""

_IRREGULAR_FORMS = """
    begin began begun; bite bit bitten; blow blew blown; break broke broken;
    bring brought; build built; burn burnt; buy bought; catch caught; choose chose chosen; come came;
    draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen;
    feed fed; feel felt; fight fought; find found; fly flew flown; forget forgot forgotten;
    forgive forgave forgiven; freeze froze frozen; give gave given; go went gone goes; grow grew grown;
    hang hung; hear heard; hide hid hidden; hold held; keep kept; know knew known; lead led; learn learnt;
    leave left; lend lent; lose lost; make made; mean meant; meet met; pay paid; ride rode ridden;
    ring rang rung; rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent;
    shake shook shaken; shine shone; shoot shot; sing sang sung; sink sank sunk; sit sat; sleep slept;
    speak spoke spoken; spend spent; spin spun; stand stood; steal stole stolen; stick stuck; strike struck;
    swear swore sworn; sweep swept; swim swam swum; take took taken; teach taught; tear tore torn; tell told;
    think thought; throw threw thrown; understand understood; wake woke woken; wear wore worn; win won;
    write wrote written; become became; overcome overcame; child children kids kid; man men; woman women;
    person people persons; foot feet; tooth teeth; mouse mice; goose geese; life lives; wife wives; knife knives;
    leaf leaves; half halves; shelf shelves; wolf wolves; calf calves; loaf loaves; thief thieves; self selves;
    mom mum mommy mother mothers moms; dad daddy father fathers dads; good better best; bad worse worst;
    grandma grandmother; grandpa grandfather; pic pics picture pictures photo photos photograph photographs;
    tv television; bike bikes bicycle bicycles; fridge refrigerator; doc doctor doctors; vet veterinarian;
    movie movies film films; die died dying dies death dead; buy purchase purchased purchasing;
    gym gyms; job jobs work working works worked
"""

_KEPT = frozenset(
    """
    after anger answer april banner border bother brother butter center centre chapter cheer christmas corner
    counter cover daughter december deer dinner either enter ever family father feather fever finger flower
    friday garden hammer her holiday hunger italy january february july june ladder later latter leather letter
    lily lower manner master matter member meter monday morning mother never november number october offer
    order other outer over owner paper pepper peter player poker power prayer proper quarter rather red river
    rubber saturday september series shed shower silver sister slipper soccer species spring spider sugar summer
    sunday super supper tender thing thursday tiger timber together tower tuesday under upper wednesday water
    weather wedding wedding winter wonder
    evening ceiling feeling string bring during nothing something anything everything sibling darling king ring
    sing wing swing sting being seed need speed feed bleed breed weed indeed hundred sacred naked
    only early ugly holy reply apply supply rely fly ally belly bully jelly rally silly jolly
    nation station ration
    moment comment cement element garment
    news lens bus gas plus campus bonus virus status focus chorus census christmas texas always perhaps towards
    this his us yes tennis paris basis crisis oasis
    """.split()
)

_VOWELS = frozenset("aeiouy")
_DOUBLED = frozenset("bdfgmnprt")

# longest first; what must be left of the word, in letters
_DERIVED: tuple[tuple[str, int], ...] = (
    ("ization", 4), ("isation", 4), ("fulness", 3), ("iveness", 3), ("ousness", 3),
    ("ation", 4), ("ition", 4), ("ments", 4), ("ment", 4), ("ness", 3), ("less", 3), ("ship", 4),
    ("able", 4), ("ible", 4), ("ator", 4), ("ical", 4), ("ally", 4),
    ("ful", 3), ("ive", 4), ("ize", 4), ("ise", 4), ("ism", 4), ("ist", 4), ("ity", 4), ("ous", 4),
    ("est", 4), ("ate", 4), ("ly", 3), ("er", 3), ("or", 4), ("al", 4), ("ic", 4),
)  # fmt: skip
_SUFFIXES: tuple[str, ...] = tuple(suffix for suffix, _ in _DERIVED)


def _irregular() -> dict[str, str]:
    table: dict[str, str] = {}
    for group in _IRREGULAR_FORMS.split(";"):
        head, *forms = group.split()
        target = table.get(head, head)
        for form in forms:
            table.setdefault(form, target)
    return table


_IRREGULAR = _irregular()


def _undouble(word: str) -> str:
    if len(word) > 3 and word[-1] == word[-2] and word[-1] in _DOUBLED:
        return word[:-1]
    return word


def _has_vowel(word: str) -> bool:
    return not _VOWELS.isdisjoint(word)


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
        return word[:-2]
    return word[:-1]


def _inflected(word: str) -> str:
    for suffix in ("ing", "ed"):
        if word.endswith(suffix):
            left = word[: -len(suffix)]
            if len(left) >= 3 and _has_vowel(left):
                return _undouble(left)
            if len(left) == 2 and left[0] in _VOWELS:  # used, aging
                return left
    return word


def _derived(word: str) -> str:
    if len(word) > 6 and word.endswith("at"):  # what -ated and -ating leave: motivat(ed)
        return word[:-2]
    if len(word) > 5 and word.endswith(("tion", "sion")) and not word.endswith(("ation", "ition")):
        return word[:-3]
    if not word.endswith(_SUFFIXES):
        return word
    for suffix, least in _DERIVED:
        if len(word) - len(suffix) >= least and word.endswith(suffix):
            return _undouble(word[: -len(suffix)])
    return word


def stem(word: str) -> str:
    """The form under which an English word, in lower case, is indexed.

    Words of three letters or fewer, words with digits and words from other scripts come back as they are.

    >>> stem("moving") == stem("movers"), stem("houses") == stem("house"), stem("quickly")
    (True, True, 'quick')
    >>> stem("was"), stem("bus"), stem("2031")
    ('was', 'bus', '2031')
    """
    if len(word) <= 3 or not (word.isascii() and word.isalpha()):
        return _IRREGULAR.get(word, word)
    known = _IRREGULAR.get(word)
    if known is not None:
        word = known
    if word in _KEPT:
        return word
    word = _singular(word)
    known = _IRREGULAR.get(word)
    if known is not None:
        word = known
    if word in _KEPT or len(word) <= 3:
        return word
    word = _inflected(word)
    if word not in _KEPT:
        word = _derived(word)
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 2 and word.endswith("y") and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    return word
