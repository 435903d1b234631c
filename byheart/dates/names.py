"""The names of months and weekdays in the languages that ship, with their short and inflected forms."""

from __future__ import annotations

MONTHS = {
    "en": (
        "january, jan",
        "february, feb",
        "march, mar",
        "april, apr",
        "may",
        "june, jun",
        "july, jul",
        "august, aug",
        "september, sept, sep",
        "october, oct",
        "november, nov",
        "december, dec",
    ),
    "de": (
        "januar, jänner, jan",
        "februar, feb",
        "märz, mär",
        "april, apr",
        "mai",
        "juni, jun",
        "juli, jul",
        "august, aug",
        "september, sept, sep",
        "oktober, okt",
        "november, nov",
        "dezember, dez",
    ),
    "es": (
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre, setiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ),
    "ru": (
        "январь, января, январе",
        "февраль, февраля, феврале",
        "март, марта, марте",
        "апрель, апреля, апреле",
        "май, мая, мае",
        "июнь, июня, июне",
        "июль, июля, июле",
        "август, августа, августе",
        "сентябрь, сентября, сентябре",
        "октябрь, октября, октябре",
        "ноябрь, ноября, ноябре",
        "декабрь, декабря, декабре",
    ),
}
"""By language, the names of each month in the order of the year, separated by commas."""

WEEKDAYS = {
    "en": (
        "monday, mon",
        "tuesday, tue, tues",
        "wednesday, wed, weds",
        "thursday, thu, thur, thurs",
        "friday, fri",
        "saturday, sat",
        "sunday, sun",
    ),
    "de": ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag, sonnabend", "sonntag"),
    "es": ("lunes", "martes", "miércoles, miercoles", "jueves", "viernes", "sábado, sabado", "domingo"),
    "ru": (
        "понедельник, понедельника, понедельнику",
        "вторник, вторника, вторнику",
        "среда, среду, среды, среде",
        "четверг, четверга, четвергу",
        "пятница, пятницу, пятницы, пятнице",
        "суббота, субботу, субботы, субботе",
        "воскресенье, воскресенья, воскресенью",
    ),
}
"""By language, the names of each weekday from Monday on, separated by commas."""

SHORT_WEEKDAYS = {
    "de": ("mo", "di", "mi", "do", "fr", "sa", "so"),
    "es": ("lun", "mar", "mié", "jue", "vie", "sáb", "dom"),
    "ru": ("пн", "вт", "ср", "чт", "пт", "сб", "вс"),
}
"""Short forms that are words of their own in running text, and mean a weekday only beside a date."""
