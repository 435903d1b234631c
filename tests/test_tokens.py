"""Words of any script, as people type them: forms that are one word meet, words that are two do not."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byheart import Memory
from byheart.bm25 import BM25
from byheart.tokens import Analyzer, fold


def terms(text: str) -> set[str]:
    return set(Analyzer().terms(text))


SAME = [
    ("миграция", "миграции"),
    ("café", "cafe\u0301"),
    ("ＡＢＣ", "abc"),
    ("naïve", "naive"),
    ("nai\u0308ve", "naïve"),
    ("straße", "STRASSE"),
    ("ﬁne art", "fine art"),
    ("e-mail", "email"),
    ("10,000", "10000"),
    ("５５", "55"),
    ("m²", "m2"),
    ("Ёлка", "елка"),
    ("Αθήνα", "ΑΘΗΝΑ"),
    ("λόγος", "ΛΟΓΟΣ"),
    ("İstanbul", "istanbul"),
    ("Łódź", "lodz"),
    ("Việt Nam", "viet nam"),
    ("niño", "nino"),
    ("Müller", "muller"),
    ("مُحَمَّد", "محمد"),
    ("أحمد", "احمد"),
    ("کتاب", "كتاب"),
    ("שָׁלוֹם", "שלום"),
    ("क़लम", "कलम"),
    (unicodedata.normalize("NFD", "한국어"), "한국어"),
    ("ｶﾀｶﾅ", "カタカナ"),
    ("東京", "東京都"),
    ("ไทย", "ภาษาไทย"),
    ("O’Brien", "O'Brien"),
    ("Anna's", "Anna"),
    ("Anna’s", "anna"),
    ("houses", "house"),
    ("moving", "movers"),
    ("snake_case", "case"),
    ("fooBarBaz", "bar"),
    ("HTTPServer", "server"),
    ("README.md", "readme.md"),
    ("C++", "c++"),
    ("C#", "c#"),
    (".env", ".ENV"),
    ("https://example.org/path", "example.org"),
    ("anna@example.org", "example"),
    ("version 1.2.3", "1.2.3"),
    ("at 18:30", "18:30"),
    ("👍🏽", "👍"),
    ("it is 🚲 time", "🚲"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_forms_of_one_word_meet(one: str, other: str) -> None:
    assert terms(one) & terms(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("co\u00adoperate", "cooperate"),
        ("e\u200bmail", "email"),
        ("x\u2060y", "xy"),
        ("٥٥", "55"),
        ("५५", "55"),
        ("हिन्दी", "हिंदी"),
    ],
)
def test_forms_that_differ_in_what_is_not_seen_meet(one: str, other: str) -> None:
    assert terms(one) & terms(other)


def test_a_word_of_another_script_meets_its_forms_among_english_words_too() -> None:
    assert terms("it was about миграция") & terms("what about миграции?")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C++", "C#"),
        ("C++", "C"),
        ("2023", "2024"),
        ("1.2.3", "1.2.4"),
        ("18:30", "18:45"),
        ("cat", "dog"),
        ("was", "bus"),
        ("猫", "犬"),
        ("кот", "дом"),
        ("👍", "👎"),
    ],
)
def test_words_that_are_two_do_not_meet(one: str, other: str) -> None:
    assert not terms(one) & terms(other)


@pytest.mark.parametrize("text", ["", " ", "the of and", "?!...", "\u200b", "\0", "—", "the\nwe\tyou", "''"])
def test_what_says_nothing_has_no_terms(text: str) -> None:
    assert terms(text) == set()


@given(st.text())
def test_any_text_has_terms_or_none_and_always_the_same(text: str) -> None:
    analyzer = Analyzer()
    first = analyzer.terms(text)
    assert first == analyzer.terms(text) == Analyzer().terms(text)
    analyzer.forget(set(first))
    assert analyzer.terms(text) == first
    assert all(first)


@given(st.text())
def test_folding_is_blind_to_case_and_to_how_accents_are_written(text: str) -> None:
    once = fold(text)
    assert fold(once) == fold(fold(once))
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize(
    "word", ["x", "é", "猫", "a-", "a_", "1,", "a'", "ไ", "가", "e\u0301", ".", "A", "aA", "@a", "👍", "\u200d"]
)
def test_no_word_takes_quadratic_time(word: str) -> None:
    """Not timed: what took quadratic time would not end while anybody waits."""
    Analyzer().terms(word * 100_000)


def test_an_analyzer_remembers_a_bounded_number_of_words() -> None:
    analyzer = Analyzer()
    limit = analyzer._MOST_REMEMBERED
    analyzer._MOST_REMEMBERED = 50  # type: ignore[misc]  # a class constant, made small for this one
    for number in range(200):
        analyzer.terms(f"word{number}")
    assert len(analyzer._pieces) <= 50 < limit
    analyzer.forget({term for words, _ in analyzer._pieces.values() for term in words})
    assert not analyzer._pieces


# In every script: what the cat is called, among what else was said, asked in other words.

LANGUAGES = {
    "Arabic": (
        "قطتي الجديدة اسمها لوزة",
        ["ذهبنا إلى البحر يوم الجمعة", "أحب القهوة بدون سكر", "أخي يعمل في المستشفى", "اشتريت دراجة حمراء"],
        "ما اسم القطة؟",
    ),
    "Armenian": (
        "Իմ կատվի անունը Փիսո է",
        ["Երեկ գնացինք ծով", "Սուրճը սիրում եմ առանց շաքարի", "Եղբայրս բժիշկ է", "Գնեցի կարմիր հեծանիվ"],
        "Ի՞նչ է կատվի անունը",
    ),
    "Bengali": (
        "আমার বিড়ালের নাম মিনু",
        ["কাল আমরা সমুদ্রে গিয়েছিলাম", "আমি চিনি ছাড়া কফি খাই", "আমার ভাই ডাক্তার", "একটা লাল সাইকেল কিনেছি"],
        "বিড়ালের নাম কী ছিল?",
    ),
    "Chinese": (
        "我家的猫叫做团子",
        ["昨天我们去了海边", "我喝咖啡不加糖", "我弟弟在医院工作", "我买了一辆红色的自行车"],
        "你还记得猫叫什么吗?",
    ),
    "French": (
        "mon chat s'appelle Biscotte",
        [
            "hier nous sommes allés à la mer",
            "je bois mon café sans sucre",
            "mon frère est médecin",
            "j'ai un vélo rouge",
        ],
        "comment s'appelait le chat ?",
    ),
    "Georgian": (
        "ჩემს კატას ჰქვია ფისო",
        ["გუშინ ზღვაზე წავედით", "ყავას უშაქროდ ვსვამ", "ჩემი ძმა ექიმია", "წითელი ველოსიპედი ვიყიდე"],
        "რა ჰქვია კატას?",
    ),
    "German": (
        "meine Katze heißt Krümel",
        ["gestern waren wir am Meer", "ich trinke Kaffee ohne Zucker", "mein Bruder ist Arzt", "das Fahrrad ist rot"],
        "Wie hieß noch mal die KATZE?",
    ),
    "Greek": (
        "η γάτα μου λέγεται Φούντα",
        ["χτες πήγαμε στη θάλασσα", "πίνω καφέ χωρίς ζάχαρη", "ο αδερφός μου είναι γιατρός", "πήρα κόκκινο ποδήλατο"],
        "πώς λένε τη ΓΑΤΑ;",
    ),
    "Hebrew": (
        "לחתולה שלי קוראים שוקו",
        ["אתמול היינו בים", "אני שותה קפה בלי סוכר", "אח שלי רופא", "קניתי אופניים אדומים"],
        "איך קוראים לחתולה?",
    ),
    "Hindi": (
        "मेरी बिल्ली का नाम मोती है",
        ["कल हम समुद्र गए थे", "मैं बिना चीनी की कॉफ़ी पीता हूँ", "मेरा भाई डॉक्टर है", "मैंने लाल साइकिल खरीदी"],
        "बिल्ली को क्या कहते हैं?",
    ),
    "Japanese": (
        "うちの猫の名前はこむぎです",
        ["昨日は海に行きました", "コーヒーは砂糖なしで飲みます", "弟は病院で働いています", "赤い自転車を買いました"],
        "猫は何という名前でしたか?",
    ),
    "Khmer": (
        "ឆ្មារបស់ខ្ញុំឈ្មោះមីមី",
        ["ម្សិលមិញយើងទៅសមុទ្រ", "ខ្ញុំផឹកកាហ្វេគ្មានស្ករ", "ប្អូនខ្ញុំធ្វើការនៅមន្ទីរពេទ្យ"],
        "តើឆ្មាឈ្មោះអ្វី?",
    ),
    "Korean": (
        "우리 고양이 이름은 보리예요",
        ["어제 바다에 갔어요", "커피는 설탕 없이 마셔요", "동생은 병원에서 일해요", "빨간 자전거를 샀어요"],
        "고양이를 뭐라고 부르죠?",
    ),
    "Persian": (
        "اسم گربه من ملوس است",
        ["دیروز به دریا رفتیم", "قهوه را بدون شکر می‌خورم", "برادرم پزشک است", "یک دوچرخه قرمز خریدم"],
        "گربه‌ات چه نام دارد؟",
    ),
    "Polish": (
        "moja kotka nazywa się Śliwka",
        ["wczoraj byliśmy nad morzem", "piję kawę bez cukru", "mój brat jest lekarzem", "kupiłam czerwony rower"],
        "jak ma na imię kotki?",
    ),
    "Russian": (
        "мою кошку зовут Плюшка",
        ["вчера мы ездили на море", "я пью кофе без сахара", "мой брат работает врачом", "купила красный велосипед"],
        "как же звали кошек?",
    ),
    "Spanish": (
        "mi gata se llama Canela",
        ["ayer fuimos al mar", "tomo el café sin azúcar", "mi hermano es médico", "compré una bicicleta roja"],
        "¿cómo se llamaban las gatas?",
    ),
    "Tamil": (
        "என் பூனையின் பெயர் மீனு",
        ["நேற்று கடலுக்குச் சென்றோம்", "சர்க்கரை இல்லாமல் காபி குடிப்பேன்", "என் தம்பி மருத்துவர்"],
        "பூனைக்கு என்ன பெயர்?",
    ),
    "Thai": (
        "แมวของฉันชื่อขนมปัง",
        ["เมื่อวานเราไปทะเล", "ฉันดื่มกาแฟไม่ใส่น้ำตาล", "น้องชายทำงานที่โรงพยาบาล", "ซื้อจักรยานสีแดง"],
        "จำได้ไหมว่าแมวชื่ออะไร",
    ),
    "Turkish": (
        "kedimin adı Zeytin",
        ["dün denize gittik", "kahveyi şekersiz içerim", "kardeşim doktor", "kırmızı bir bisiklet aldım"],
        "KEDİNİN adı neydi?",
    ),
    "Vietnamese": (
        "con mèo của tôi tên là Bánh",
        ["hôm qua chúng tôi ra biển", "tôi uống cà phê không đường", "em trai tôi là bác sĩ", "tôi mua xe đạp đỏ"],
        "meo ten gi?",
    ),
}


@pytest.mark.parametrize(
    "language",
    list(LANGUAGES),
)
def test_a_question_in_any_script_finds_the_turn_it_is_about(language: str) -> None:
    needle, others, query = LANGUAGES[language]
    docs = [f"user: {text}" for text in (*others[:2], needle, *others[2:])]
    index = BM25()
    index.fit(docs)
    assert index.rank(query, 1) == [2]


def test_in_a_long_conversation_without_spaces_the_stretch_asked_for_is_first() -> None:
    subjects = ["天気", "電車", "仕事", "料理", "映画", "音楽", "旅行", "週末"]
    memory = Memory(budget=400, chunk=20)
    for number in range(40):
        if number == 17:
            memory.append("user", "うちの猫の名前はこむぎといいます、よろしくね")
        else:
            memory.append("user", f"今日は{subjects[number % 8]}について話しましょうか、その{number}回目です")
    assert "こむぎ" in memory.search("飼っている猫はなんという名前だったか教えて", limit=1)[0]["text"]
    result = memory.compose("飼っている猫はなんという名前だったか教えて")
    assert 17 in result["included"]


def test_languages_mixed_in_one_conversation_are_found_each_in_its_own() -> None:
    docs = [f"user: {needle}" for needle, _, _ in LANGUAGES.values()]
    index = BM25()
    index.fit(docs)
    found = [index.rank(query, 1) == [at] for at, (_, _, query) in enumerate(LANGUAGES.values())]
    assert sum(found) >= len(found) - 1
