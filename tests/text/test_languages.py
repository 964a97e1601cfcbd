"""Languages: planted topics are found in six of them, stop words are left out, and a language is recognised."""

import numpy as np
import pytest

import partwise as pw
from partwise.text import Weighting
from partwise.text.languages import recognise
from partwise.text.stop_words import language_name, language_names, stop_words_of

PLANTED = {
    "german": (
        ["Schiff Hafen Kapitän Segel Küste", "Brot Butter Ofen Mehl Zucker", "Geige Orchester Konzert Melodie Flöte"],
        "Das {} und die {} sind nicht weit von dem {} und der {}.",
    ),
    "russian": (
        ["корабль гавань капитан парус берег", "хлеб масло печь мука сахар", "скрипка оркестр концерт мелодия флейта"],
        "Это {} и {} но не {} или {}.",
    ),
    "hindi": (
        ["जहाज़ बंदरगाह कप्तान समुद्र नाविक", "रोटी मक्खन आटा चीनी रसोई", "संगीत गायक वीणा नृत्य तबला"],
        "यह {} और {} के लिए {} में {} है।",
    ),
    "arabic": (
        ["سفينة ميناء قبطان شراع ساحل", "خبز زبدة فرن دقيق سكر", "كمان موسيقى حفلة لحن أغنية"],
        "هذا {} من {} إلى {} على {}.",
    ),
    "chinese": (
        ["轮船 港口 船长 海岸 航行", "面包 黄油 烤箱 面粉 白糖", "提琴 乐团 音乐 旋律 笛子"],
        "{}和{}，但是{}的{}。",
    ),
    "japanese": (
        ["船長 港湾 帆船 海岸 ヨット", "小麦 砂糖 バター オーブン 朝食", "音楽 楽団 コンサート 旋律 ピアノ"],
        "{}と{}は{}で{}です。",
    ),
}


@pytest.mark.parametrize("language", PLANTED)
def test_planted_topics_are_found(language):
    """Texts of one topic each have one strongest topic, named by its words; the language is recognised."""
    groups, frame = PLANTED[language]
    groups, rng = [group.split() for group in groups], np.random.default_rng(0)
    truth = np.arange(60) % 3
    texts = [frame.format(*rng.permutation(groups[c])[:4]) for c in truth]
    model = pw.TopicModel(3, weighting=Weighting(language="auto")).fit(texts, labels=truth)
    assert model.weighting.language == language
    assert model.clusters().scores.purity == 1
    for topic in model.topics(n=4):
        held = [sum(term.term in "".join(group).lower() for term in topic.terms) for group in groups]
        assert max(held) >= 3, (topic.name, held)
    stop = model.weighting.stopped()
    assert not any(term in stop for term in model.terms)


SENTENCES = {
    "english": "The old man went to the sea because he had not caught any fish for weeks, and nobody would help him.",
    "german": "Der alte Mann ging an das Meer, weil er seit Wochen keinen Fisch gefangen hatte und niemand ihm half.",
    "french": "Le vieil homme est allé à la mer parce qu'il n'avait pas pris de poisson et que personne ne l'aidait.",
    "spanish": "El viejo fue al mar porque no había pescado nada y nadie quería ayudarle con las redes.",
    "portuguese": "O velho foi ao mar porque não tinha pescado nada e ninguém o queria ajudar com isso.",
    "italian": "Il vecchio andò al mare perché non aveva preso alcun pesce da settimane e nessuno voleva aiutarlo.",
    "dutch": "De oude man ging naar de zee omdat hij al weken geen vis had gevangen en niemand hem wilde helpen.",
    "swedish": "Den gamle mannen gick till havet eftersom han inte hade fångat någon fisk och ingen ville hjälpa.",
    "polish": "Stary człowiek poszedł nad morze, ponieważ nie złowił żadnej ryby i nikt nie chciał mu pomóc.",
    "russian": "Старик пошёл к морю, потому что он уже несколько недель не ловил рыбу и никто не хотел ему помочь.",
    "turkish": "Yaşlı adam haftalardır hiç balık tutamadığı için denize gitti ve kimse ona yardım etmek istemedi.",
    "korean": "노인은 몇 주 동안 물고기를 잡지 못했기 때문에 바다로 갔다.",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_language_is_recognised(language):
    """From one sentence."""
    assert recognise([SENTENCES[language]]) == language


def test_names_of_languages():
    """At least 25; by name or ISO code; what is no language's is taken without stop words."""
    assert len(set(language_names().values())) >= 25
    assert all(len(stop_words_of(name)) > 30 for name in set(language_names().values()))
    assert language_name("DE") == language_name("German") == "german"
    assert Weighting(language="de", stem="language").stem_language == "german"
    assert "und" in Weighting(language="de").stopped()
    assert "und" not in Weighting().stopped()
    assert recognise(["xyzzy plugh qwerty"]) is None
    assert Weighting(language="auto").of_language(["xyzzy plugh"]).stop_words is None
    assert recognise([]) is None
