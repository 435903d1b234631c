"""German."""

from __future__ import annotations

from byheart.dates.asked import COMING, LAST, NEXT, THIS
from byheart.dates.language import Language, numbered, same
from byheart.dates.names import MONTHS, WEEKDAYS
from byheart.dates.periods import DAY, MONTH, QUARTER, WEEK, WEEKEND, YEAR

_WEEKDAYS = WEEKDAYS["de"]
_MONTHS = MONTHS["de"]
_NUMBERS = (
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
    "dreizehn",
    "vierzehn",
    "fünfzehn",
    "sechzehn",
    "siebzehn",
    "achtzehn",
    "neunzehn",
    "zwanzig",
)


def _inflected(value: int, *stems: str) -> dict[str, int]:
    return {f"{stem}{ending}": value for stem in stems for ending in ("e", "en", "er", "es", "em")}


_PARTS = "früh|morgen|vormittag|mittag|nachmittag|abend|nacht"
_PART = rf"(?: (?:{_PARTS}))?"
_WEEKDAY = rf"<weekday>(?:s?(?:{_PARTS})| (?:{_PARTS}))?"
_TO = r"(?: ?[-–—] ?| bis | bis zum )"
_OWNER = (
    "(?:die|das|ein|eine|einen|einer|mein|meine|meinen|meiner|dein|deine|deinen|deiner|sein|seine|seinen|seiner|"
    "ihr|ihre|ihren|ihrer|unser|unsere|unseren|unserer|jede|jeden|jeder|jedes)"
)
_ENDS = (
    r"(?=\s*(?:[,;:!?)…—–]|$)|\s+(?:aber|bin|fahre|fahren|fliege|fliegen|geht|habe|haben|hat|ich|ist|kommt|sind|"
    r"um|und|war|waren|weil|wenn|werde|werden|wir|wird|wurde)\b)"
)
_PARTICIPLE_PREFIX = r"(?:an|auf|aus|ein|ab|um|mit|vor|zu|zurück|los|weg|her|hin|statt|teil|kennen)?"

GERMAN = Language(
    code="de",
    words={
        "weekday": numbered(*_WEEKDAYS),
        "month": numbered(*_MONTHS, start=1),
        "season": numbered("frühling, frühjahr", "sommer, sommers", "herbst", "winter, winters"),
        "unit": {
            **same(DAY, "tag, tage, tagen"),
            **same(WEEK, "woche, wochen"),
            **same(WEEKEND, "wochenende, wochenenden"),
            **same(MONTH, "monat, monate, monaten"),
            **same(QUARTER, "quartal, quartale, quartalen"),
            **same(YEAR, "jahr, jahre, jahren"),
        },
        "span": {
            **same(WEEK, "woche"),
            **same(WEEKEND, "wochenende, wochenendes"),
            **same(MONTH, "monat, monats"),
            **same(QUARTER, "quartal, quartals"),
            **same(YEAR, "jahr, jahres"),
        },
        "n": {
            **same(1, "ein, eine, einen, einem, einer"),
            **{word: number for number, word in enumerate(_NUMBERS, 2)},
        },
        "which": {
            **_inflected(LAST, "letzt", "vergangen", "vorig"),
            **_inflected(THIS, "dies"),
            **_inflected(NEXT, "nächst"),
            **_inflected(COMING, "kommend"),
        },
        "far": {**_inflected(-2, "vorletzt"), **_inflected(2, "übernächst")},
        "anchor": {"heute": 0, "gestern": -1, "morgen": 1},
    },
    phrases=(
        # What only looks like a day.
        (r"(?:fühlt|fühlte) sich (?:noch )?(?:an )?wie (?:erst )?gestern", "silent"),
        (r"(?:vor|an),? (?:wie|als (?:wäre|sei) es) (?:erst )?gestern", "silent"),
        (r"als (?:wäre|sei|wär) (?:es|das) (?:erst )?gestern", "silent"),
        (r"nicht von gestern|von gestern sein", "silent"),
        (
            r"(?:guten|schönen|am|vom|zum|gegen|jeden|eines|den ganzen|am nächsten|am frühen|am späten|der|den|dem) "
            r"morgen",
            "silent",
        ),
        (r"(?<!\S\s)(?<!\S)morgen(?=\s*[!,.])", "silent"),
        # Days.
        (rf"vorgestern{_PART}", "day -2"),
        (rf"übermorgen{_PART}", "day 2"),
        (r"<anchor> vor <n> <unit>", "count -1"),
        (r"<anchor> in <n> <unit>", "count 1"),
        (r"heute nacht", "near-night"),
        (rf"<anchor>{_PART}", "anchor"),
        (r"(?:an )?(?:diesen|diesem) (?:morgen|vormittag|mittag|nachmittag|abend)", "day 0"),
        (r"(?:in der )?(?:letzte|letzten|vergangene|vergangenen|vorige|vorigen) nacht", "day -1"),
        # Amounts.
        (
            r"(?:etwa|ungefähr|circa|ca\.?|rund|fast|knapp|über|gut|mindestens|höchstens|vielleicht) "
            r"(?:vor|in) <n> <unit>",
            "silent",
        ),
        (r"(?:seit|binnen|innerhalb von) <n> <unit>", "silent"),
        (r"(?:vor|in) <n>(?: oder | bis | ?[-–—/] ?)<n2> <unit>", "silent"),
        (r"(?:vor|in) <n> <unit> (?:oder|und) (?:so|mehr|<n2>|einem halben|einer halben)", "silent"),
        (r"vor <n> <unit>", "count -1"),
        (r"in <n> <unit>", "ahead"),
        # Spans of the calendar, and the weekdays in them.
        (rf"(?:am )?{_WEEKDAY} (?:der )?<which> woche", "weekday-of-week"),
        (rf"<which> woche,? (?:am )?{_WEEKDAY}", "weekday-of-week"),
        (r"(?:im )?<month> (?:des )?<which> jahres", "of-year"),
        (r"(?:im )?<season> (?:des )?<which> jahres", "of-year"),
        (r"in der (?=nächsten|kommenden|vergangenen|vorigen)<which> (?=woche)<span>", "which"),
        (r"in (?:der|den) (?=letzt)<which> (?:<span>|<season>)", "silent"),
        (rf"{_OWNER} (?:<which>|<far>) (?:<span>|<weekday>|<month>|<season>)", "silent"),
        (r"(?:<which>|<far>) (?:<span>|<weekday>) (?:des|der|vom|von)", "silent"),
        (r"<far> <span>", "span"),
        (r"(?=vorletzt)<far> <weekday>", "weekday-ago 2"),
        (rf"(?:von )?<which> <weekday>{_TO}<weekday2>", "weekday-range"),
        (rf"von <weekday>{_TO}<weekday2>", "weekday-range"),
        (r"zwischen <weekday> und <weekday2>", "weekday-range"),
        (rf"<which> (?:<span>|{_WEEKDAY}|<month>|<season>)", "which"),
        (r"(?:am|übers|über das) wochenende", "near-weekend"),
        # Dates without a year, and days without a month.
        (rf"(?:vom )?<dom>\. ?<month>{_TO}<dom2>\. ?<month2>", "date-range"),
        (rf"(?:vom )?<dom>\.?{_TO}<dom2>\. ?<month>", "date-range"),
        (r"(?:am |den )?<weekday>,? (?:den |dem )?<dom>\. ?<month>", "near-date"),
        (r"(?:am |den |dem |zum )?<dom>\. ?<month>", "near-date"),
        (rf"vom <dom>\.? bis (?:zum )?<dom2>\.{_ENDS}", "day-range"),
        (rf"(?:am|bis zum|seit dem|ab dem) <dom>\.{_ENDS}", "near-day"),
        # A weekday alone.
        (rf"am {_WEEKDAY}", "near-weekday"),
        (rf"bis (?:zum )?{_WEEKDAY}", "near-weekday future"),
        (rf"seit {_WEEKDAY}", "near-weekday past"),
    ),
    dated=(
        rf"(?:vom )?<dom>\. ?<month>{_TO}<dom2>\. ?<month2> <year>",
        rf"(?:vom )?<dom>\.?{_TO}<dom2>\. ?<month> <year>",
        r"(?:(?:am|den|dem|vom|zum) )?(?:<weekday>,? (?:den |dem )?)?<dom>\. ?<month> <year>",
        rf"(?:(?:im|in|von|vom|seit) )?<month>{_TO}<month2> <year>",
        r"(?:(?:im|in|von|vom|seit) )?<month> <year>",
        r"(?:im )?<season> <year>",
        r"(?:im jahr|jahr|anno|seit|in) <year>",
    ),
    asked=(
        (r"(?:vor dem|nach dem|seit dem|bis zum|ab dem) <dom>\. ?<month> <year>", "silent"),
        (r"(?:im|in|seit|vom) (?:frühen |späten |monat )?<month>", "any-month"),
        (r"(?:im|den|über den) <season>", "any-season"),
    ),
    cues={
        "clause": "und|aber|weil|denn|dass|ob|wenn|als|obwohl|sondern|oder|damit|bevor|nachdem|während",
        "habit": (
            "immer|jede|jeden|jeder|jedes|täglich|wöchentlich|normalerweise|meistens|oft|manchmal|nie|niemals|"
            "üblicherweise|meist"
        ),
        "recurring": r"geburtstags?|jahrestag|jährlich|hochzeitstag|feiertag|geboren",
        "unsure": "wollte|wollten|sollte|sollten|hätte|hätten|wäre|wären",
        "future": (
            "werde|wirst|wird|werden|werdet|will|willst|wollen|möchte|möchten|freue mich auf|freuen uns auf|"
            "sehen uns|sehen wir uns|lass uns|lasst uns|plane|planen|fliege|fliegst|fliegt|fliegen|fahre|fährst|fährt|"
            "fahren|gehe|gehst|geht|gehen|reise|reisen|komme|kommst|kommt|kommen|beginnt|beginnen|startet|starten|"
            "endet|enden|eröffnet|heirate|heiraten|heiratet|ziehe|ziehen|zieht|besuche|besuchen|treffe|treffen|"
            "feiern|muss|musst|müssen|kann|kannst|können|soll|sollen|machen|mache|läuft|bleibe|bleiben|bin ich|"
            "kommst du|bekomme|bekommen wir|kriege|bis dann|fängt|hört|öffnet|schließt|ruhen|zurück"
        ),
        "past": (
            r"war|warst|waren|wart|hatte|hattest|hatten|wurde|wurden|ging|gingen|kam|kamen|fuhr|fuhren|flog|flogen|"
            r"sah|sahen|gab|traf|trafen|blieb|blieben|begann|begannen|fand|fanden|sprach|sprachen|schrieb|schrieben|"
            r"las|lasen|aß|aßen|trank|tranken|schlief|schliefen|verlor|verloren|gewann|gewannen|bekam|bekamen|zog|"
            r"zogen|starb|starben|ließ|ließen|rief|riefen|nahm|nahmen|half|halfen|stand|standen|lag|lagen|saß|saßen|"
            r"lief|liefen|konnte|konnten|musste|mussten|durfte|durften|machte|machten|sagte|sagten|kaufte|kauften|"
            r"spielte|spielten|feierte|feierten|besuchte|besuchten|wohnte|lernte|lernten|kochte|kochten|"
            r"besucht|verkauft|erzählt|passiert|verbracht|begonnen|vergessen|verstanden|entschieden|unterschrieben|"
            r"gewesen|bestellt|erreicht|repariert|studiert|bestanden|erhalten|verlassen|verpasst|"
            rf"{_PARTICIPLE_PREFIX}(?!gegen\b|gehen\b|geben\b|gerade|gestern|gesund|genau|gern|genug|gelt|gesicht|"
            r"gebiet|geschenk|gericht|gewicht|gehört\b|gewinnen|genieß|gemeinsam|gesamt|geht\b|gebt\b|getränk|"
            r"geburt|gefahr|gefühl|geld|gefällt|general|gespannt\b|geplant\b)ge[a-zäöüß]{2,}(?:t|en)"
        ),
        "auxiliary": "habe|hab|hast|hat|haben|habt|bin|bist|ist|sind|seid",
    },
    capitals=True,
    triggers=(
        *("heute", "gestern", "morgen", "vorgestern", "übermorgen", "nacht", "abend", "mittag", "vormittag"),
        *("nachmittag", "tag", "tage", "tagen", "woche", "wochen", "wochenende", "wochenenden", "wochenendes"),
        *("monat", "monate", "monaten", "monats", "quartal", "quartale", "quartalen", "quartals"),
        *("jahr", "jahre", "jahren", "jahres", "frühling", "frühjahr", "sommer", "sommers", "herbst", "winter"),
        *("winters", "am", "vom", "zum", "dem"),
        *(
            f"{name}{ending}"
            for names in _WEEKDAYS
            for name in names.split(", ")
            for ending in ("", "s", *(f"{joint}{part}" for joint in ("", "s") for part in _PARTS.split("|")))
        ),
        *(name for names in _MONTHS for name in names.split(", ")),
    ),
)
