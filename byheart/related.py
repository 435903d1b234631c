"""Everyday English words that belong to one subject, so that a question about *family* finds the *son*.

Each line is a general word and words that people use where the general one would do. The table is ordinary
knowledge of the language, about everyday subjects; it is small on purpose, and what it brings up counts a fraction of a word
that was asked for.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from byheart import english

_SUBJECTS: Final = """
    family: parent mother father son daughter brother sister sibling child baby toddler cousin aunt uncle niece
        nephew relative grandmother grandfather grandchild
    child: son daughter baby toddler boy girl teen kid
    spouse: husband wife partner marriage married wedding fiance engaged anniversary boyfriend girlfriend
    relationship: boyfriend girlfriend partner date dating breakup single married love romance
    friend: buddy pal mate companion friendship
    pet: dog cat puppy kitten hamster parrot rabbit turtle fish bird animal
    dog: puppy pup hound leash bark breed walk
    cat: kitten kitty purr litter
    animal: dog cat bird horse turtle fish wildlife zoo
    art: paint painting draw drawing sketch sculpture pottery canvas gallery exhibit artist mural craft
    craft: pottery knit sew crochet woodwork clay bowl
    music: song band concert guitar piano violin album sing singer tune playlist musician drum
    instrument: guitar piano violin drum flute cello bass trumpet
    book: novel read reading author story library chapter series memoir
    write: book novel story screenplay script poem journal blog article author draft
    film: movie cinema watch actor director scene series show screenplay trailer
    game: play gamer gaming console tournament video board chess puzzle card
    sport: soccer football basketball tennis baseball hockey volleyball golf team match coach swim run
    exercise: workout gym run jog yoga lift fitness train swim cycling hike cardio
    run: race marathon jog charity
    outdoors: hike camp trail mountain forest nature park lake river kayak climb fish
    nature: mountain forest lake beach sunset river ocean garden flower tree outdoors
    camp: tent campfire trail
    travel: trip vacation visit flight fly road journey tour hotel abroad country airport
    country: city abroad germany france italy spain japan china canada england ireland mexico brazil india
        australia europe
    city: town paris london tokyo rome boston chicago seattle york berlin barcelona
    food: meal dish recipe cook restaurant eat snack lunch dinner breakfast pizza salad soup pasta bread cheese
        chicken
    cook: recipe bake meal dish kitchen roast grill
    dessert: cake cookie ice cream chocolate pie tart brownie cupcake candy sweet pastry pudding
    drink: coffee tea beer wine juice cocktail smoothie water
    diet: vegan vegetarian dairy gluten lactose calorie weight allergy healthy
    health: doctor hospital sick illness pain surgery medicine medication injury diagnosis checkup therapy heart
    injury: hurt broke ankle knee accident sprain cast pain
    sick: flu cold fever ill hospital cancer disease
    weight: pound kilo diet fat
    stress: relax anxiety calm overwhelm pressure therapy meditation yoga burnout destress unwind
    relax: calm unwind peace meditation yoga stress rest soothe therapy
    feel: happy sad angry excited nervous proud grateful scared upset anxious emotional feeling
    emotion: happy sad angry excited nervous proud scared upset anxious feel feeling
    happy: glad joy excited thrilled cheerful delighted
    sad: upset down cry grief loss mourn depressed
    proud: accomplish achievement award
    fear: scared afraid phobia nervous terrified
    job: career company office boss colleague hire interview position promotion salary employer profession
        occupation
    career: job profession business engineer teacher nurse counselor writer artist actor lawyer
    business: store shop startup company customer client product market investor launch entrepreneur
    money: pay cost price salary budget dollar euro save savings loan debt rent invest donate
    price: cost pay dollar euro fee cheap expensive
    shop: store buy mall sell
    school: class student teacher college university course degree study exam grade homework graduate
    study: course degree exam class research learn major
    degree: university college graduate master phd major study
    education: school college university study degree learn course
    home: house apartment flat move rent room kitchen roommate neighbor mortgage landlord
    house: home apartment flat room roof kitchen bathroom
    renovate: repair paint wall floor kitchen roof contractor
    garden: plant flower seed vegetable grow soil tomato
    car: vehicle drive truck engine mechanic driver license tire motorcycle
    vehicle: car truck bike motorcycle van bus train
    computer: laptop software program code app tech phone device
    technology: computer software app phone device robot gadget
    program: code software developer app python engineer
    phone: call text mobile app
    cloth: dress shirt jacket shoe wear fashion outfit jeans hat necklace
    jewelry: necklace ring bracelet earring pendant
    gift: present birthday necklace card give
    birthday: party cake gift celebrate age born
    celebrate: party birthday anniversary holiday festival christmas thanksgiving
    holiday: christmas thanksgiving easter halloween vacation festival
    party: celebrate friend birthday dance
    event: concert festival parade conference fair party ceremony show exhibit meeting workshop
    volunteer: charity donate shelter community help nonprofit fundraiser homeless
    charity: donate fundraiser volunteer nonprofit cause
    community: neighborhood volunteer local group club
    hobby: interest enjoy paint photography cook garden read collect dance game
    interest: hobby enjoy passion like love
    activity: hobby hike swim camp paint dance yoga run bake
    dance: ballet salsa studio choreography class
    photography: photo camera shot lens picture
    religion: church faith god pray spiritual bible temple mosque
    politics: election vote government law rights campaign president
    identity: gender transgender gay lesbian queer lgbtq pride
    lgbtq: pride transgender gay lesbian queer gender
    lesson: class course teach learn
    goal: plan dream aim ambition hope want achieve
    plan: going trip schedule next future intend
    dream: goal wish hope aspire
    win: won prize award tournament champion first victory trophy
    award: prize trophy win medal recognition
    lose: lost loss defeat
    competition: tournament contest race championship match
    weather: rain snow sun storm cold hot wind
    disaster: flood fire storm earthquake hurricane
    accident: crash hurt injury
    death: funeral loss passed grief
    move: relocate apartment new house city
    live: home city town apartment country
    problem: issue trouble challenge difficult struggle setback
    help: support assist advice
    support: help encourage mentor group
    advice: tip suggest recommend
    learn: class teach lesson study skill
    beach: sand ocean wave surf sea swim
    water: swim ocean lake river pool surf kayak
    color: red blue green yellow purple pink orange black white
    sleep: bed night rest tired nap insomnia
    morning: breakfast wake early
    character: hero villain superhero protagonist
    meditate: yoga calm mindfulness breath
    collect: collection rare vintage stamp coin record
    speech: talk presentation audience
    meet: met friend meeting
    cafe: coffee shop restaurant
    restaurant: dinner food meal cuisine
"""


@cache
def _table() -> dict[str, tuple[str, ...]]:
    """Stem to related stems: a general word to its examples, and each example back to the general word."""
    table: dict[str, dict[str, None]] = {}
    head = ""
    for word in _SUBJECTS.split():
        if word.endswith(":"):
            head = english.stem(word[:-1])
            continue
        example = english.stem(word)
        table.setdefault(head, {})[example] = None
        table.setdefault(example, {})[head] = None
    return {stem: tuple(found) for stem, found in table.items()}


def related(term: str) -> tuple[str, ...]:
    """Terms that belong to the same subject as ``term``, itself left out; none for most.

    >>> "guitar" in related(english.stem("instruments"))
    True
    >>> related("xyzzy")
    ()
    """
    return _table().get(term, ())
