"""English: how people in chats speak of days, weeks, months and years."""

from __future__ import annotations

from byheart.dates.asked import COMING, LAST, NEXT, PAST_WEEK, THIS
from byheart.dates.language import Language, numbered, same
from byheart.dates.names import MONTHS, WEEKDAYS
from byheart.dates.periods import DAY, FORTNIGHT, MONTH, QUARTER, WEEK, WEEKEND, YEAR

_NUMBERS = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WEEKDAYS = WEEKDAYS["en"]
_MONTHS = MONTHS["en"]
_DAYS_OF_MONTH = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twenty-first",
    "twenty-second",
    "twenty-third",
    "twenty-fourth",
    "twenty-fifth",
    "twenty-sixth",
    "twenty-seventh",
    "twenty-eighth",
    "twenty-ninth",
    "thirtieth",
    "thirty-first",
]

_PARTS = "morning|lunchtime|noon|midday|afternoon|evening|night"
_PART = rf"(?: (?:early |late |mid-?)?(?:{_PARTS}))?"
_TH = r"(?:st|nd|rd|th)"
_DAY = rf"<dom>{_TH}?"
_THE_DAY = rf"the (?=[0-9])<dom>{_TH}"
_DAY2 = rf"<dom2>{_TH}?"
_TO = r"(?: ?[-–—] ?| to | through | thru | until | till | and )"
_NOT_A_DAY = r"(?!(?:a|one)\s+day\b)"
_WEEKDAY = r"(?:<weekday>,? (?:the )?)?"
_NO_YEAR = r"(?!,? (?:of )?[12][0-9]{3}(?!\w))(?! (?:of )?(?:last|this|next) year)"
# What may follow "the 5th" when it is a day: not the noun that would make it a fifth floor.
_DAY_ENDS = (
    r"(?=\s*(?:[.,;:!?)…—–]|$)|\s+(?:after|around|as|at|because|before|but|for|from|he|i|if|is|it|my|our|she|since|so|"
    r"that|they|this|to|until|was|we|were|when|while|will|with|you|and (?:he|i|it|my|our|she|that|the|they|we))\b)"
)
_CLAUSE_ENDS = r"(?=\s*(?:[.,;:!?)…—–]|$)|\s+(?:and|but|he|i|it|my|our|she|so|that|there|they|we|when|you)\b)"
# What makes "last week" one of somebody's, and what makes an amount uncertain, right before the phrase.
_OWNED = frozenset(
    (
        *("a", "any", "each", "entire", "every", "final", "first", "full", "his", "its", "my", "our", "second"),
        *("that", "the", "their", "third", "very", "whole", "whose", "your"),
    )
)
_UNCERTAIN = frozenset(
    (
        *("about", "almost", "approx", "approximately", "around", "circa", "every", "half", "least", "like", "maybe"),
        *("most", "nearly", "or", "over", "perhaps", "probably", "roughly", "some", "than", "to", "under", "within"),
    )
)

_IRREGULAR = (
    "ate|became|began|bent|bit|blew|bought|broke|brought|built|burnt|came|caught|chose|crept|dealt|did|didn't|"
    "drank|dreamt|drew|drove|dug|fell|felt|flew|forgot|fought|found|froze|gave|got|grew|had|hadn't|heard|held|hid|"
    "kept|knew|laid|led|left|lent|lost|made|meant|met|paid|ran|rang|rode|said|sang|sank|sat|saw|sent|shot|slept|"
    "slid|sold|sought|spent|spoke|stole|stood|struck|swam|swept|swore|taught|thought|threw|took|tore|understood|"
    "was|wasn't|went|were|weren't|woke|won|wore|wrote"
)
_PARTICIPLES = (
    "been|begun|blown|broken|chosen|done|drawn|driven|drunk|eaten|fallen|flown|forgotten|frozen|given|gone|"
    "grown|known|ridden|seen|spoken|stolen|swum|taken|thrown|woken|worn|written"
)
# Words in -ed that are no past: adjectives of the speaker's mood, and what only ends that way.
_NO_PAST = (
    r"(?!(?:excited|interested|tired|scared|worried|bored|thrilled|delighted|pleased|stressed|stoked|pumped|need|"
    r"indeed|feed|speed|exceed|proceed|succeed|hundred|kindred|red|bed|shed|wed|embed|bleed|breed|seed|weed|"
    r"united|limited|advanced|beloved|sacred|naked|detailed|used)\b)"
)
_ADVERBS = (
    r"(?:(?:also|just|only|still|even|really|finally|now|then|already|all|both|(?!usually|normally|weekly)[a-z]+ly) )?"
)
# Words behind "we" or "you" that are no verb, or one whose past looks the same.
_NO_VERB = (
    r"(?!(?:"
    r"a|about|again|all|also|always|an|and|any|are|around|as|at|beat|because|believe|bet|both|"
    r"but|by|cost|could|cut|ever|for|from|guess|guys|had|he|hit|how|hurt|i|if|in|it|just|know|"
    r"last|let|may|me|mean|more|my|never|next|no|normally|not|now|of|often|on|or|our|out|over|"
    r"put|quit|read|remember|say|set|she|should|since|so|sometimes|spread|that|the|them|then|"
    r"there|they|think|this|to|today|tomorrow|too|two|until|up|us|used|usually|was|we|were|what|"
    r"when|where|who|why|with|would|yesterday|you|your"
    r")\b)"
)

_CUES = {
    "clause": (
        r"and|but|so|because|cause|cuz|while|although|though|which|who|whom|that|when|whenever|if|unless|"
        r"where|after|before|then"
    ),
    "habit": (
        r"every|each|usually|always|often|sometimes|normally|typically|generally|rarely|never|regularly|weekly|"
        r"used to|tend to|tends to|most weeks"
    ),
    "recurring": (r"birthdays?|bday|b-day|anniversary|born|annual|annually|yearly|holiday|celebrates?|celebrated"),
    "unsure": (
        r"(?:was|were|been|wasn't|weren't) (?:going|supposed|about|planning|hoping|meant|due|scheduled|expected) "
        r"(?:to|for)|(?:want|plann|decid|agre|promis|ask|intend|need|hop|expect|invit|offer|arrang|schedul|book|"
        r"reserv)ed|told|signed up|would have|could have|should have|(?:i|he|she|we|they|you|it)'d"
    ),
    "future": (
        r"will|will not|won't|shall|gonna|(?:am|is|are|i'm|'m|we're|they're|you're|he's|she's|it's|'re) "
        r"(?:not )?(?:going|planning|hoping|due|supposed|scheduled|expected|about) (?:to|for)|"
        r"(?:i|we|you|they|he|she|it|that|there)'ll|"
        r"(?:am|is|are|i'm|we're|they're|you're|he's|she's|it's|isn't|aren't) (?:all |now |only |just |still |not )?"
        r"(?:coming|leaving|flying|starting|going|moving|meeting|having|getting|taking|visiting|travelling|traveling|"
        r"opening|closing|launching|ending|returning|hosting|throwing|running|performing|playing|heading|due|over|up)|"
        r"(?:it|that|he|she|trip|flight|exam|wedding|party|meeting|deadline|game|match|show|concert|school|project|"
        r"class|semester|vacation|contract|warranty|lease) "
        r"(?:is|starts|ends|begins|closes|opens|arrives|leaves|expires|finishes|launches|returns|comes)|"
        r"we (?:leave|fly|move|start|finish|meet|return|travel|graduate)|i (?:leave|fly|move|start|finish|return|"
        r"travel|graduate|turn)|see you|talk to you|catch you|back to you|looking forward|"
        r"(?:remind|call|text|ping|ask|message|email|ring|tell) (?:me|us)|check back|can't wait|let's|let us|"
        r"tomorrow|tonight"
    ),
    "past": (
        rf"(?:have|has|haven't|hasn't|i've|we've|they've|you've) {_ADVERBS}"
        rf"(?:come|run|{_PARTICIPLES}|{_NO_PAST}[a-z]+ed)|"
        r"(?:did|didn't) (?:(?:i|we|you|they|he|she|it) [a-z]+|[a-z]+ (?:be|do|get|go|have|need|plan))|"
        rf"{_IRREGULAR}|{_PARTICIPLES}|{_NO_PAST}[a-z]{{2,}}ed|(?:to have|haven't|hasn't)"
    ),
    "present": (
        r"(?:am|is|are|i'm|we're|they're|you're|he's|she's|it's|isn't|aren't|be) (?:[a-z]+ )?[a-z]+ed|"
        r"am|is|are|i'm|we're|they're|you're|he's|she's|it's|isn't|aren't|be|do|does|don't|doesn't|must|might|"
        r"should|shouldn't|can|can't|cannot|could|couldn't|would|"
        r"(?:i|we|you|they) have|(?:he|she|it) has|i've got|we've got|have to|has to|got to|gotta|"
        rf"wanna|(?:i|we|they|you) {_ADVERBS}{_NO_VERB}{_NO_PAST}(?!(?:{_IRREGULAR}|{_PARTICIPLES})\b)(?![a-z]+ed\b)"
        r"[a-z]+|(?:he|she|it) (?!was\b|has\b|as\b|his\b|this\b|always\b|yes\b)[a-z]+s|please"
    ),
}

ENGLISH = Language(
    code="en",
    words={
        "weekday": numbered(*_WEEKDAYS),
        "weekdays": numbered(*(f"{names.split(',')[0]}s" for names in _WEEKDAYS)),
        "month": numbered(*_MONTHS, start=1),
        "season": numbered("spring", "summer", "autumn", "winter", "fall"),
        "seasons": numbered("springs", "summers", "autumns", "winters", "falls"),
        "unit": {
            **same(DAY, "day, days, night, nights, morning, mornings, afternoon, afternoons, evening, evenings"),
            **same(WEEK, "week, weeks, wk, wks"),
            **same(WEEKEND, "weekend, weekends"),
            **same(MONTH, "month, months"),
            **same(QUARTER, "quarter, quarters"),
            **same(YEAR, "year, years, yr, yrs"),
            **same(FORTNIGHT, "fortnight, fortnights"),
        },
        "span": {"week": WEEK, "weekend": WEEKEND, "month": MONTH, "quarter": QUARTER, "year": YEAR},
        "n": {**same(1, "a, an"), **{word: number for number, word in enumerate(_NUMBERS, 1)}},
        "tens": {word: 10 * number for number, word in enumerate(_TENS, 2)},
        "dom": numbered(*_DAYS_OF_MONTH, start=1),
        "which": {
            **same(LAST, "last, this last"),
            **same(PAST_WEEK, "this past"),
            **same(THIS, "this"),
            **same(NEXT, "next"),
            **same(COMING, "coming, upcoming, this coming, this upcoming"),
        },
        "anchor": {"today": 0, "yesterday": -1, "tomorrow": 1},
        "nth": {**numbered("first", "second", "third", "fourth", start=1), "last": -1, "final": -1},
    },
    phrases=(
        # What only looks like a day.
        (
            r"(?:feels?|felt|feeling|seems?|seemed|sounds?) (?:just |only )?(?:like|as if) "
            r"(?:it was |it were |it's )?(?:just |only )?(?:yesterday|last (?:night|<span>)|<n> <unit> ago)",
            "silent",
        ),
        (r"(?:like|as if|as though) (?:it was |it were |it's )?(?:just |only )?yesterday", "silent"),
        (r"(?:not|wasn't|weren't|isn't) born yesterday", "silent"),
        (r"(?:no|better|brighter|greener|safer|happier) tomorrow", "silent"),
        (r"(?:here )?today,? gone tomorrow", "silent"),
        (r"tomorrow is (?:another|a new) day", "silent"),
        (
            r"(?:adults|art|artists|cars|children|cities|heroes|jobs|kids|leaders|men|music|people|society|stars|"
            r"technology|women|workers|world|youth) of (?:today|tomorrow|yesterday)",
            "silent",
        ),
        (
            r"today's (?:(?:modern|digital|fast-paced|busy|competitive) )?(?:age|children|climate|culture|"
            r"day and age|economy|generation|kids|market|men|society|standards|technology|teens|women|world|youth)",
            "silent",
        ),
        (r"usa today|(?:the )?today show|yesterday's news|tomorrow's (?:leaders|world)", "silent"),
        # Days.
        (rf"(?:the )?day before yesterday{_PART}", "day -2"),
        (rf"(?:the )?day after tomorrow{_PART}", "day 2"),
        (r"(?:the )?night before last", "day -2"),
        (rf"<anchor>{_PART}", "anchor"),
        (r"tonight", "day 0"),
        (r"(?:tmrw|tmr)", "day 1"),
        (r"this (?:morning|lunchtime|afternoon|evening)", "day 0"),
        (r"last (?:night|evening) of", "silent"),
        (r"last (?:night|evening)", "last-night"),
        # Amounts that are not certain, then those that are.
        (r"<n>(?: or | to |(?<=[0-9]) ?[-–—/] ?)<n2> <unit>(?: ago| back| from| later| earlier| hence)", "silent"),
        (r"<n> <unit> (?:and|or) (?:<n2> <unit2>|a half|so|two|more|less)(?: ago| back)?", "silent"),
        (
            r"<n> <unit> (?:ago|back),? (?:or (?:so|more|less|thereabouts)|give or take|i (?:think|guess)|maybe)",
            "silent",
        ),
        (r"<n> <unit> ago <anchor>", "count -1"),
        (r"<n> <unit> ago,? on <weekday>", "count -1"),
        (r"<n> <unit> (?:from|after) <anchor>", "count 1"),
        (r"<n> <unit> before <anchor>", "silent"),
        (r"<n> <unit> ago", "count -1"),
        (r"<n> (?:<weekdays>|<seasons>) ago", "count -1"),
        # Who means tomorrow says so: "in a day" is how long something takes.
        (rf"{_NOT_A_DAY}<n> <unit> (?:from now|hence)", "count 1"),
        (rf"{_NOT_A_DAY}<n> <unit> back{_CLAUSE_ENDS}", "count -1"),
        (rf"{_NOT_A_DAY}<n> <unit> earlier{_CLAUSE_ENDS}", "earlier -1"),
        (rf"in {_NOT_A_DAY}<n>(?: or | to |(?<=[0-9]) ?[-–—/] ?)<n2> <unit>", "silent"),
        (rf"in {_NOT_A_DAY}<n> <unit> (?:of|or|flat|straight)", "silent"),
        (rf"in {_NOT_A_DAY}<n> <unit>(?:'s?|s')? time", "ahead weak"),
        (rf"in {_NOT_A_DAY}<n> <unit>", "ahead"),
        # Spans of the calendar, and the weekdays in them.
        (r"(?:the )?<span> before last", "span -2"),
        (r"(?:the )?<span> after next", "span 2"),
        (r"the <weekday> before last", "weekday-ago 2"),
        (rf"(?:on )?(?:the )?{_DAY} of <which> month", "day-of-month"),
        (rf"(?:on )?<weekday>{_PART}(?: of)? <which> week", "weekday-of-week"),
        (rf"<which> week,? (?:on )?<weekday>{_PART}", "weekday-of-week"),
        (rf"<month> (?:{_DAY},? )?(?:of )?<which> year", "of-year"),
        (r"<season>(?: of)? <which> year", "of-year"),
        (r"over the (?:last|past) (?=weekend)<span>", "which -1"),
        (rf"the coming (?:(?=weekend)<span>|<weekday>{_PART})", "which 2"),
        (rf"the past (?:(?=weekend)<span>|<weekday>{_PART})", "which -2"),
        (
            r"(?:last|next|coming) (?:<span>|<weekday>|<season>|<month>) (?:of(?! (?:this|last|next))|or (?:so|two))",
            "silent",
        ),
        (rf"(?:from )?<which> <weekday>{_TO}<weekday2>", "weekday-range"),
        (rf"(?:from|between) <weekday>{_TO}<weekday2>", "weekday-range"),
        (rf"<which> (?:<span>|<weekday>{_PART}|<month>|<season>)", "which"),
        (r"(?:over|during|on|at) the weekend", "near-weekend"),
        # Dates without a year, and days without a month.
        (rf"{_DAY}(?: of)? <month>{_TO}{_DAY2}(?: of)? <month2>", "date-range"),
        (rf"{_DAY}{_TO}{_DAY2}(?: of)? <month>", "date-range"),
        (rf"<month> {_DAY}{_TO}<month2> {_DAY2}", "date-range"),
        (rf"<month> {_DAY}{_TO}{_DAY2}", "date-range"),
        (rf"(?:on )?<weekday>,? (?:the )?{_DAY}(?: of)? <month>{_NO_YEAR}", "near-date"),
        (rf"(?:on )?<weekday>,? <month> {_DAY}{_NO_YEAR}", "near-date"),
        (rf"(?:on )?<weekday>,? {_THE_DAY}", "near-day"),
        (rf"(?:on )?(?:the )?{_DAY}(?: of)? <month>{_NO_YEAR}", "near-date"),
        (rf"(?:on )?<month>(?: the)? (?=[0-9]){_DAY}{_NO_YEAR}", "near-date"),
        (
            rf"(?:from|between) {_THE_DAY}{_TO}the (?=[0-9])<dom2>{_TH}{_DAY_ENDS}",
            "day-range",
        ),
        (rf"(?:on|by|until|till|since|before|after) {_THE_DAY}{_DAY_ENDS}", "near-day"),
        # A weekday alone; but one works on Monday's report.
        (r"(?:on|by|since) <weekday>'s", "silent"),
        (rf"on <weekday>{_PART}", "near-weekday"),
        (rf"(?:by|until|till) <weekday>{_PART}", "near-weekday future"),
        (rf"since <weekday>{_PART}", "near-weekday past"),
    ),
    dated=(
        rf"{_WEEKDAY}{_DAY}(?: of)? <month>{_TO}{_DAY2}(?: of)? <month2>,? <year>",
        rf"{_WEEKDAY}{_DAY}{_TO}{_DAY2}(?: of)? <month>,? <year>",
        rf"{_WEEKDAY}<month> {_DAY}{_TO}<month2> {_DAY2},? <year>",
        rf"{_WEEKDAY}<month> {_DAY}{_TO}{_DAY2},? <year>",
        rf"{_WEEKDAY}{_DAY}(?: of)? <month>,? <year>",
        rf"{_WEEKDAY}<month> {_DAY},? <year>",
        rf"<month>{_TO}<month2>,? <year>",
        r"<month>,? (?:of )?<year>",
        r"<season>,? (?:of )?<year>",
        r"(?:in|year) <year>",
    ),
    asked=(
        (
            rf"(?:before|after|since|until|till|by) (?:(?:{_DAY}(?: of)? )?<month>,?|<month2> {_DAY2},?) <year>",
            "silent",
        ),
        (r"(?:the )?<nth> <span> of <month>,? <year>", "part-of-month"),
        (rf"(?:the )?week of {_DAY}(?: of)? <month>,? <year>", "week-of"),
        (rf"(?:the )?week of <month> {_DAY},? <year>", "week-of"),
        (
            rf"(?:in|during|of|since|for|throughout) (?:early |late |mid-?|mid |the month of )?<month>{_NO_YEAR}",
            "any-month",
        ),
        (rf"(?:in|during|over|of|for|throughout) (?:early |late |the )?<season>{_NO_YEAR}", "any-season"),
    ),
    cues=_CUES,
    unless={
        "which": _OWNED,
        "weekday-range": _OWNED
        | {"appointment", "call", "changed", "it", "meeting", "moved", "postponed", "rescheduled"},
        "last-night": _OWNED,
        "anchor": frozenset(("better", "no")),
        "count": _UNCERTAIN,
        "ahead": frozenset(("once", "twice", "times")),
    },
    suffix=r"(?:'s)?",
    proper=frozenset(("may", "march", "mar", "mon", "wed", "sat", "sun", "jan", "dec", "sep")),
    triggers=(
        *("yesterday", "today", "tonight", "tomorrow", "tmrw", "tmr", "ago", "night", "nights", "evening", "evenings"),
        *("morning", "mornings", "lunchtime", "afternoon", "afternoons", "days", "weekend", "weekends"),
        *("week", "weeks", "wk", "wks", "month", "months", "quarter", "quarters", "year", "years", "yr", "yrs"),
        *("fortnight", "fortnights", "spring", "summer", "autumn", "winter", "fall", "falls"),
        *(f"{names.split(',')[0]}s" for names in _WEEKDAYS),
        *("springs", "summers", "autumns", "winters"),
        *(name for names in (*_WEEKDAYS, *_MONTHS) for name in names.split(", ")),
        *(f"{number}{ending}" for number in range(1, 32) for ending in ("st", "nd", "rd", "th")),
    ),
)
