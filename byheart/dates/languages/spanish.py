"""Spanish, of Spain and of the Americas."""

from __future__ import annotations

from byheart.dates.asked import COMING, LAST, THIS
from byheart.dates.language import Language, numbered, same
from byheart.dates.names import MONTHS, WEEKDAYS
from byheart.dates.periods import DAY, MONTH, QUARTER, WEEK, WEEKEND, YEAR

_WEEKDAYS = WEEKDAYS["es"]
_MONTHS = MONTHS["es"]
_NUMBERS = [
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
    "once",
    "doce",
    "trece",
    "catorce",
    "quince",
    "dieciséis",
    "diecisiete",
    "dieciocho",
    "diecinueve",
    "veinte",
]

_PART = r"(?: (?:por|en|a) la (?:mañana|tarde|noche)| al? (?:mediodía|anochecer|amanecer)| temprano)?"
_OF_THE = r"(?:la|el|los|las)"
_ENDS = (
    r"(?=\s*(?:[.,;:!?)…—–]|$)|\s+(?:a|con|cuando|en|es|fue|fui|fuimos|hay|me|nos|pero|por|porque|que|se|tengo|"
    r"tenemos|vamos|voy|y|ya)\b)"
)

SPANISH = Language(
    code="es",
    words={
        "weekday": numbered(*_WEEKDAYS),
        "month": numbered(*_MONTHS, start=1),
        "season": numbered("primavera", "verano", "otoño", "invierno"),
        "unit": {
            **same(DAY, "día, días, dia, dias, noche, noches"),
            **same(WEEK, "semana, semanas"),
            **same(WEEKEND, "fin de semana, fines de semana"),
            **same(MONTH, "mes, meses"),
            **same(QUARTER, "trimestre, trimestres"),
            **same(YEAR, "año, años"),
        },
        "span": {
            **same(WEEK, "semana"),
            **same(WEEKEND, "fin de semana, finde"),
            **same(MONTH, "mes"),
            **same(QUARTER, "trimestre"),
            **same(YEAR, "año"),
        },
        "n": {**same(1, "un, una"), **{word: number for number, word in enumerate(_NUMBERS, 2)}},
        # Before the noun ("la próxima semana") and behind it ("la semana que viene").
        "which": {
            **same(LAST, "pasado, pasada, último, última"),
            **same(THIS, "este, esta"),
            **same(COMING, "próximo, próxima, proximo, proxima, que viene, que entra, siguiente"),
        },
        "far": {"antepasado": -2, "antepasada": -2},
        "anchor": {"hoy": 0, "ayer": -1, "mañana": 1},
    },
    phrases=(
        # What only looks like a day.
        (r"(?:como|parece que fue|parece que era) (?:si (?:fuera|fuese) )?ayer", "silent"),
        (r"no nací ayer", "silent"),
        (
            r"(?:la|las|una|cada|toda la|por la|de la|en la|a la|de|buena|media|otra|aquella|esa|"
            r"mi|tu|su) mañanas?",
            "silent",
        ),
        (r"(?:el|un|mejor) mañana", "silent"),
        # Days.
        (rf"(?:anteayer|antier|antes de ayer){_PART}", "day -2"),
        (r"(?:anteanoche|antenoche)", "day -2"),
        (rf"pasado mañana{_PART}", "day 2"),
        (r"(?:anoche|ayer noche|la noche pasada|la pasada noche)", "day -1"),
        (r"<anchor> hace <n> <unit>", "count -1"),
        (rf"<anchor>{_PART}", "anchor"),
        (r"esta (?:mañana|tarde|noche)", "day 0"),
        # Amounts.
        (r"desde hace <n> <unit>", "silent"),
        (r"hace <n>(?: o | a | ?[-–—/] ?)<n2> <unit>", "silent"),
        (r"hace <n> <unit> (?:y (?:medio|media|pico|<n2> <unit2>)|o (?:así|más|algo|<n2>)|más o menos|que)", "silent"),
        (r"hace <n> <unit>", "count -1"),
        (r"(?:casi|unos|unas|como) <n> <unit> atrás", "silent"),
        (r"<n> <unit> atrás", "count -1"),
        (r"(?:dentro de|en) (?:unos|unas|casi|más de|menos de) <n> <unit>", "silent"),
        (r"(?:dentro de|en) <n>(?: o | a | ?[-–—/] ?)<n2> <unit>", "silent"),
        (r"(?:dentro de|en) <n> <unit> (?:o (?:así|más|<n2>)|y (?:medio|media)|de)", "silent"),
        (r"dentro de <n> <unit>", "ahead weak"),
        (r"en <n> <unit>", "ahead"),
        # Spans of the calendar, and the weekdays in them.
        (rf"(?:el )?<weekday>{_PART} de (?:la )?(?:<which> semana|semana <which>)", "weekday-of-week"),
        (rf"(?:el )?<weekday>{_PART} de la semana (?=pasada)<which>", "weekday-of-week"),
        (
            r"(?:en )?<month> del? (?:año (?=pasado|que viene|próximo)<which>|(?=pasado|próximo|este)<which> año)",
            "of-year",
        ),
        (
            r"(?:en )?(?:la |el )?<season> del? "
            r"(?:año (?=pasado|que viene|próximo)<which>|(?=pasado|próximo|este)<which> año)",
            "of-year",
        ),
        (r"(?:el|los|la|las) últim(?:o|a) <span>", "silent"),
        (rf"{_OF_THE} <span> <far>", "span"),
        (rf"(?:en )?{_OF_THE} <span> (?=pasad|próxim|proxim|que|siguiente)<which>", "which"),
        (rf"(?:en )?{_OF_THE} (?=pasad|próxim|proxim)<which> <span>", "which"),
        (rf"(?:el )?<weekday>{_PART} (?=pasado|próximo|proximo|que)<which>{_PART}", "which"),
        (rf"el (?=pasado|próximo|proximo)<which> <weekday>{_PART}", "which"),
        (r"(?:la|el) (?:<season>|<month>) (?=pasad|próxim|proxim|que)<which>", "which"),
        (r"<month> (?=pasado|próximo|proximo)<which>", "which"),
        (r"(?:la|el) (?=pasad|próxim|proxim)<which> (?:<season>|<month>)", "which"),
        (rf"(?=est)<which> (?:(?:pasado|próximo) )?(?:<span>|<weekday>{_PART}|<month>|<season>)", "which"),
        (r"(?:el|durante el|en el) (?:fin de semana|finde)(?! (?:del|de))", "near-weekend"),
        (r"(?:del|desde el|entre el) <weekday> (?:al|hasta el|y el) <weekday2>", "weekday-range"),
        # Dates without a year, and days without a month.
        (r"(?:del? )?<dom> de <month> (?:al|a|hasta el) <dom2> de <month2>", "date-range"),
        (r"(?:del? )?<dom>(?: al | a | y | y el | ?[-–—] ?)<dom2> de <month>", "date-range"),
        (r"(?:el )?<weekday>,? <dom> de <month>", "near-date"),
        (r"(?:el )?(?:día )?<dom> de <month>", "near-date"),
        (rf"del <dom> al <dom2>{_ENDS}", "day-range"),
        (rf"(?:el|hasta el|desde el) día <dom>{_ENDS}", "near-day"),
        (rf"(?:hasta el|desde el) <dom>{_ENDS}", "near-day"),
        # A weekday alone.
        (rf"(?:hasta|para|antes de) el <weekday>{_PART}", "near-weekday future"),
        (rf"desde el <weekday>{_PART}", "near-weekday past"),
        (rf"el <weekday>{_PART}", "near-weekday"),
    ),
    dated=(
        r"(?:del? )?<dom> de <month> (?:al|a|hasta el) <dom2> de <month2> (?:del? )?<year>",
        r"(?:del? )?<dom>(?: al | a | y | y el | ?[-–—] ?)<dom2> de <month> (?:del? )?<year>",
        r"(?:(?:el|del|hasta el|desde el) )?(?:<weekday>,? )?<dom> de <month>,? (?:del? )?<year>",
        r"(?:(?:en|entre|de|desde) )?<month> (?:a|y|hasta) <month2> (?:del? )?<year>",
        r"(?:(?:en|de|desde|durante) )?<month> (?:del? )?<year>",
        r"(?:en )?(?:el |la )?<season> (?:del? )?<year>",
        r"(?:en|año|desde) <year>",
    ),
    asked=(
        (r"(?:antes del|después del|desde el|hasta el) <dom> de <month> (?:del? )?<year>", "silent"),
        (r"(?:en|durante|de) <month>", "any-month"),
        (r"(?:en|durante|de) (?:la |el )?<season>", "any-season"),
    ),
    cues={
        "clause": "y|pero|porque|pues|aunque|cuando|si|que|donde|mientras|o|ni|sino",
        "habit": "siempre|cada|todos los|todas las|normalmente|suelo|suele|solemos|suelen|a veces|nunca",
        "recurring": "cumpleaños|aniversario|nací|nació|fiesta nacional|anual",
        "unsure": "quería|queríamos|iba a|íbamos a|iban a|debía|habría|podría haber|planeaba|planeábamos|pensaba",
        "future": (
            r"voy|vas|va|vamos|van|[a-zñáéíóú]{1,}(?:ar|er|ir|dr)(?:á|án|ás|emos|éis)|"
            r"(?!miré\b|tiré\b|giré\b|retiré\b|admiré\b|paré\b|preparé\b|comparé\b|separé\b|esperé\b|operé\b|superé\b)"
            r"[a-zñáéíóú]*(?:ar|er|ir|dr)é|"
            r"nos vemos|te veo|quedamos|vuelo|volamos|viajo|viaja|salgo|sale|salimos|llego|llega|llegamos|empieza|"
            r"empiezo|empezamos|termina|termino|acaba|es|son|tengo|tenemos|tiene|hay|quiero|queremos|podemos|puedo|"
            r"puedes|debo|planeamos|estoy|estamos|me caso|vengo|viene|vienen|venís|descansamos|abre|"
            r"cierra|vuelvo|volvemos|vuelve|me mudo|nos mudamos|hasta"
        ),
        "past": (
            r"(?:he|has|ha|hemos|habéis|han) [a-zñáéíóú]+(?:ado|ido|to|cho)|"
            r"(?!qué\b|café\b|sé\b|té\b|bebé\b|puré\b|josé\b|porqué\b|pie\b)"
            r"[a-zñáéíóú]+(?:é|ó|aron|ieron|aste|iste|aba|aban|ábamos)|"
            r"[a-zñáéíóú]+(?:cí|dí|ndí|lí|ví|brí|ntí|rtí|bí|mí|pí|uí)|"
            r"fui|fue|fuimos|fueron|fuiste|estuve|estuvo|estuvimos|estuvieron|tuve|tuvo|tuvimos|tuvieron|hice|hizo|"
            r"hicimos|hicieron|vinimos|vinieron|dije|dijo|dijimos|dijeron|pude|pudo|pudimos|puse|puso|pusimos|"
            r"quise|quiso|supe|supo|traje|trajo|di|dio|vi|vio|vimos|era|eran|éramos|había|habían|conocimos|"
            r"comimos|salí|nos reunimos|hubo|gané|murió|nevó"
        ),
    },
    triggers=(
        *(
            "hoy",
            "ayer",
            "mañana",
            "anteayer",
            "antier",
            "anoche",
            "anteanoche",
            "antenoche",
            "noche",
            "noches",
            "tarde",
        ),
        *("día", "días", "dia", "dias", "semana", "semanas", "finde", "mes", "meses", "trimestre", "trimestres"),
        *("año", "años", "primavera", "verano", "otoño", "invierno", "hasta", "desde", "del"),
        *(name for names in (*_WEEKDAYS, *_MONTHS) for name in names.split(", ")),
    ),
)
